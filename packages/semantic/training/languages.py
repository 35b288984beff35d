"""The words of other languages: how much each deserves a piece, and what it means."""

import collections

from pieces import runs

LANGUAGES = ("es", "de", "fr", "zh", "ja", "pt", "it", "ru", "ko")


ADDED = LANGUAGES[5:]  # came when the vocabulary was full: their words are appended to it


def count_foreign(lexicon, queries):
    """A lexicon's first form of a word counts most; the words of requests count each time."""
    foreign = collections.Counter()
    for entry in lexicon:
        for language in LANGUAGES:
            for position, form in enumerate(entry.get(language, [])):
                for run in runs(form):
                    foreign[run] += 10 - min(position, 5)
    for query in queries:
        if query.get("english"):
            foreign.update(runs(query["query"]))
    return foreign


def meanings_of(lexicon, languages=LANGUAGES):
    """English by word, of the forms that are one word."""
    meaning = {}
    for entry in lexicon:
        for language in languages:
            for form in entry.get(language, []):
                found = runs(form)
                if len(found) == 1:
                    meaning.setdefault(found[0], entry["en"])
    return meaning
