"""Gives words of the lexicon that got no piece in training the place of English ones: `python3 adopt.py DATA STAGE MODEL OUT`.

STAGE is the one that made the model, `fold` or `full`: words are chosen by the requests that it learned from, and no others.

An English word that neither a tool nor a request has, and the lexicon not either, is there for WordNet's sake alone; the rarest of these
go, and their letters are then read in parts. A word of another language gets the sum of the vectors of its English meaning, which is
what training would start it from. Words of the languages that came last are appended where no English word is left to go.
"""

import os
import sys

import numpy

from data import learned_by, load, load_lexicon
from languages import ADDED, count_foreign, meanings_of
from model_file import read, write
from pieces import pieces, runs

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_ADOPTED = 4_500


def main(data, stage, path, out):
    header, vocabulary, table = read(path)
    tools, queries = load(data)
    lexicon = load_lexicon(os.path.join(HERE, "lexicon"))
    learned = [q for q in queries if learned_by(stage, q)]
    known = {p: i for i, p in enumerate(vocabulary)}
    meaning = meanings_of(lexicon)
    needed = {run for t in tools for text in t["fields"].values() for run in runs(text)}
    needed.update(run for q in learned for run in runs(q.get("english") or q["query"]))
    needed.update(run for e in lexicon for run in runs(e["en"]))
    spare = [p for p in vocabulary if p.isascii() and p.isalpha() and len(p) > 1 and p not in needed and p not in meaning]
    wanted = [w for w, _ in count_foreign(lexicon, learned).most_common() if w not in known and w in meaning]
    swaps = list(zip(reversed(spare), wanted[:MOST_ADOPTED]))
    kept = set(known) - {old for old, _ in swaps}
    for old, new in swaps:
        parts = [known[p] for p in pieces(meaning[new], kept)]
        table[known[old]] = table[parts].sum(0)
        vocabulary[known[old]] = new
    late = meanings_of(lexicon, ADDED)
    appended = [w for w in late if w not in set(vocabulary)]
    rows = [table[[known[p] for p in pieces(late[w], kept)]].sum(0) for w in appended]
    table = numpy.concatenate([table, numpy.array(rows, dtype=table.dtype)]) if rows else table
    vocabulary = [*vocabulary, *appended]
    print(f"{len(appended)} words of {', '.join(ADDED)} appended")
    print(f"{len(swaps)} of {len(wanted)} words adopted; {len(spare)} pieces were spare")
    write(header, vocabulary, table, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
