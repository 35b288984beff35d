"""Trains the embedded model: `python3 train.py DATA TEACHER OUT`. Minutes on one GPU; see README.md for where the inputs come from.

Prints the figures of every stage and writes the model file under OUT.
"""

import collections
import json
import os
import random
import struct
import sys

import torch

import student as static
from data import load, load_lexicon, teacher_text
from export import export
from measure import held_macro, measure, show
from pieces import runs
from teacher import QUERY_PIECES, Encoder, fine_tune, mine_negatives

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL_ID = "tools-static-v1"
SHARES = (0.7, 0.85, 1.0)
STUDENTS = ({"relation": 0.5, "contrast": 0.1}, {"relation": 1.0, "contrast": 0.3})
LANGUAGES = ("es", "de", "fr", "zh", "ja")


def main(data, teacher_folder, out):
    os.makedirs(out, exist_ok=True)
    tools, queries = load(data, os.path.join(HERE, "requests"))
    lexicon = load_lexicon(os.path.join(HERE, "lexicon"))
    print(f"{len(tools)} tools, {len(queries)} queries, {len(lexicon)} lexicon entries", flush=True)
    encoder = Encoder(teacher_folder)
    english = [q.get("english") or q["query"] for q in queries]

    def figures(title):
        rows = measure(tools, queries, encoder.encode([teacher_text(t) for t in tools]), encoder.encode(english, QUERY_PIECES))
        show(title, rows)
        return held_macro(rows)

    figures("MiniLM as it comes")
    learn = [dict(q, query=q.get("english") or q["query"]) for q in queries if q["split"] == "train"]
    mine_negatives(encoder, tools, learn)
    tuned = fine_tune(encoder, tools, learn)
    best = (0.0, 0.0)
    for share in SHARES:
        encoder.mix(tuned, share)
        best = max(best, (figures(f"fine-tuned, share {share}"), share))
    share = best[1]
    print(f"share chosen on held-out tools: {share}")
    encoder.mix(tuned, share)
    distil(encoder, tools, queries, lexicon, out)
    export(encoder, os.path.join(out, "tools-minilm-v1.onnx"))


def distil(encoder, tools, queries, lexicon, out):
    forms = {language: {} for language in LANGUAGES}
    for entry in lexicon:
        for language in LANGUAGES:
            forms[language].setdefault(entry["en"].lower(), []).extend(entry.get(language, []))

    # What the student learns from: texts, and for each the English text whose teacher vector it should have.
    items, english = [], []

    def add(item, meaning):
        items.append(item)
        english.append(meaning)
        return len(items) - 1

    docs = [add(t["fields"], teacher_text(t)) for t in tools]
    groups = {}
    for doc, tool in zip(docs, tools):
        group = groups.setdefault(tool["catalog"], ([], []))
        group[0].append(doc)
        fields = tool["fields"]
        if fields["description"]:
            group[1].append(add(fields["description"], fields["description"]))
            first = fields["description"].split(". ")[0]
            if first != fields["description"]:
                add(first, first)
        name = f"{fields['server']} {fields['name']}".strip()
        add(name, name)
        if fields["details"]:
            add(fields["details"][:300], fields["details"][:300])
    asks, pairs = [], {}
    for query in queries:
        if query["split"] != "train":
            continue
        meaning = query.get("english") or query["query"]
        row = add(query["query"], meaning)
        asks.append(row)
        pairs.setdefault(query["catalog"], []).extend((row, docs[g]) for g in query["gold"][:3])
        groups.setdefault(query["catalog"], ([], []))[1].append(row)
        if query.get("english"):
            add(query["english"], query["english"])
    for entry in lexicon:
        add(entry["en"], entry["en"])
        for language in LANGUAGES:
            for form in entry.get(language, []):
                add(form, entry["en"])
    random.seed(11)
    switched = []
    sources = [(items[r], english[r]) for r in asks] + [(t["fields"]["description"].split(". ")[0], None) for t in tools]
    for text, meaning in sources:
        if not isinstance(text, str) or not text or not text.isascii():
            continue
        for language in random.sample(LANGUAGES, 2):
            other = static.code_switch(text, forms[language])
            if other:
                switched.append(add(other, meaning or text))
    print(f"{len(items)} texts, {len(switched)} code-switched", flush=True)

    report = [q["query"] for q in queries]
    base = len(items)
    for text in report:
        items.append(text)

    foreign = collections.Counter()
    for entry in lexicon:
        for language in LANGUAGES:
            for position, form in enumerate(entry.get(language, [])):
                for run in runs(form):
                    foreign[run] += 10 - min(position, 5)
    for query in queries:
        if query.get("english") and query["split"] == "train":
            foreign.update(runs(query["query"]))
    known = encoder.tokenizer.get_vocab()
    english_texts = [text for text, meaning in zip(items[:base], english) if isinstance(text, str) and text is meaning]
    vocabulary = static.build_vocabulary(sorted(known, key=known.get), english_texts, foreign)
    print(f"{len(vocabulary)} pieces", flush=True)

    pack = static.Pack(vocabulary, items)
    counts = torch.bincount(pack.ids[: int(pack.starts[base])], minlength=len(vocabulary)).float() + 1.0
    frequency = counts / counts.sum()
    meaning_of = {}
    for entry in lexicon:
        for language in LANGUAGES:
            for form in entry.get(language, []):
                found = runs(form)
                if len(found) == 1:
                    meaning_of.setdefault(found[0], entry["en"])
    known_words = set(known)
    starts = encoder.encode([p.removeprefix("##") if p in known_words else meaning_of.get(p, p) for p in vocabulary])
    targets = encoder.encode(english)
    _, _, axes = torch.linalg.svd(targets[torch.randperm(len(targets))[:40000]], full_matrices=False)
    projection = axes[: static.DIMENSIONS].T.contiguous()
    targets = torch.nn.functional.normalize(targets @ projection, dim=-1)

    best = None
    report_rows = list(range(base, base + len(report)))
    for settings in STUDENTS:
        net = static.Student(starts, frequency, projection).cuda()
        static.train(net, pack, targets, list(groups.values()), pairs=list(pairs.values()), **settings)
        rows = measure(tools, queries, static.encode(net, pack, docs), static.encode(net, pack, report_rows))
        show(f"student {settings}; fields {[round(f, 2) for f in net.fields.abs().tolist()]} slope {net.slope.tolist()}", rows)
        if best is None or held_macro(rows) > best[0]:
            best = (held_macro(rows), net, settings)
    print(f"chosen on held-out tools: {best[2]}")
    write(best[1], vocabulary, out)


def write(net, vocabulary, out):
    """The file that `src/read-model.ts` reads: a JSON header, a scale a piece, a row of int8 a piece."""
    table = net.table().detach()
    scale = table.abs().amax(1).clamp(min=1e-8) / 127
    rows = torch.round(table / scale.unsqueeze(1)).clamp(-127, 127).to(torch.int8)
    fields = dict(zip(static.FIELDS, [round(f, 4) for f in net.fields.abs().tolist()]))
    header = json.dumps({"modelId": MODEL_ID, "dimensions": static.DIMENSIONS, "fields": fields, "pieces": "\n".join(vocabulary)}, ensure_ascii=False).encode()
    with open(os.path.join(out, MODEL_ID + ".bin"), "wb") as file:
        file.write(struct.pack("<I", len(header)))
        file.write(header)
        file.write(b"\0" * (-(4 + len(header)) % 4))
        file.write(scale.float().cpu().numpy().tobytes())
        file.write(rows.cpu().numpy().tobytes())


if __name__ == "__main__":
    main(*sys.argv[1:4])
