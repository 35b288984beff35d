"""What the student learns from: texts, each with the English text whose teacher vector it should have."""

import random

import torch

import student as static
from data import tool_text
from languages import LANGUAGES, count_foreign, meanings_of


class Lesson:
    """`docs`: the row of each tool. `groups`: for each catalog its tools and the texts to hold against them. `pairs`: (request, tool) of each catalog."""

    def __init__(self, tools, queries, several, lexicon, glosses):
        self.items, self.meanings = [], []
        self.groups, self.pairs = {}, {}
        self.lexicon = lexicon
        self.docs = [self.add(t["fields"], tool_text(t)) for t in tools]
        for doc, tool in zip(self.docs, tools):
            self.add_tool(doc, tool)
        asks = [self.add_query(query) for query in queries]
        for query in several:
            self.add_several(query)
        for entry in lexicon:
            self.add(entry["en"], entry["en"])
            for language in LANGUAGES:
                for form in entry.get(language, []):
                    self.add(form, entry["en"])
        for gloss in glosses:
            self.add(gloss, gloss)
        sources = [(self.items[r], self.meanings[r]) for r in asks] + [(first_sentence(t), first_sentence(t)) for t in tools]
        self.add_switched(sources)
        self.foreign = count_foreign(lexicon, queries)

    def add(self, item, meaning):
        self.items.append(item)
        self.meanings.append(meaning)
        return len(self.items) - 1

    def add_tool(self, doc, tool):
        group = self.groups.setdefault(tool["catalog"], ([], []))
        group[0].append(doc)
        fields = tool["fields"]
        if fields["description"]:
            group[1].append(self.add(fields["description"], fields["description"]))
            first = first_sentence(tool)
            if first != fields["description"]:
                self.add(first, first)
        name = f"{fields['server']} {fields['name']}".strip()
        self.add(name, name)
        if fields["details"]:
            self.add(fields["details"][:300], fields["details"][:300])

    def add_query(self, query):
        row = self.add(query["query"], query.get("english") or query["query"])
        self.pairs.setdefault(query["catalog"], []).extend((row, self.docs[g]) for g in query["gold"][:3])
        self.groups[query["catalog"]][1].append(row)
        if query.get("english"):
            self.add(query["english"], query["english"])
        return row

    def add_several(self, query):
        """A composed request counts as one of a catalog of its own, with the same tools."""
        row = self.add(query["query"], query["query"])
        name = "several/" + query["catalog"]
        self.pairs.setdefault(name, []).extend((row, self.docs[g]) for g in query["gold"][:4])
        self.groups.setdefault(name, (self.groups[query["catalog"]][0], []))[1].append(row)

    def add_switched(self, sources):
        """The English texts once more with their words in another language, where the lexicon has them."""
        random.seed(11)
        forms = {language: {} for language in LANGUAGES}
        for entry in self.lexicon:
            for language in LANGUAGES:
                forms[language].setdefault(entry["en"].lower(), []).extend(entry.get(language, []))
        for text, meaning in sources:
            if not text or not text.isascii():
                continue
            for language in random.sample(LANGUAGES, 2):
                other = static.code_switch(text, forms[language])
                if other:
                    self.add(other, meaning)

    def prepare(self, encoder, asked):
        """Everything on the device: packed texts (with `asked`, which are only measured, at the end), targets, and where pieces start."""
        known = encoder.tokenizer.get_vocab()
        english = [text for text, meaning in zip(self.items, self.meanings) if isinstance(text, str) and text is meaning]
        vocabulary = static.build_vocabulary(sorted(known, key=known.get), english, self.foreign)
        count = len(self.items)
        pack = static.Pack(vocabulary, self.items + asked)
        end = int(pack.starts[count]) if asked else len(pack.ids)
        counts = torch.bincount(pack.ids[:end], minlength=len(vocabulary)).float() + 1.0
        starts = encoder.encode(start_texts(vocabulary, known, self.lexicon))
        targets = encoder.encode(self.meanings)
        _, _, axes = torch.linalg.svd(targets[torch.randperm(len(targets))[:40000]], full_matrices=False)
        projection = axes[: static.DIMENSIONS].T.contiguous()
        targets = torch.nn.functional.normalize(targets @ projection, dim=-1)
        print(f"{count} texts, {len(vocabulary)} pieces", flush=True)
        return vocabulary, pack, targets, lambda: static.Student(starts, counts / counts.sum(), projection).to(targets.device)


def first_sentence(tool):
    return tool["fields"]["description"].split(". ")[0]


def start_texts(vocabulary, known, lexicon):
    """A piece starts from the teacher's vector of itself, a word of another language from that of its English meaning."""
    meaning = meanings_of(lexicon)
    return [p.removeprefix("##") if p in known else meaning.get(p, p) for p in vocabulary]
