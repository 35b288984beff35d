"""Trains the embedded model: `python3 train.py DATA TEACHER WORDNET OUT [STAGE…]`. Minutes on one GPU; README.md says where the inputs come from.

Two models are made. `fold` learns from the training splits alone: its figures choose settings, and the ranker is fitted on its vectors of
held-out requests, which it has not seen. `full` learns from the held-out requests too and is the one that ships. Reporting splits are only measured.
A third, `blind`, is made when it is asked for: ranker/README.md says what for.
"""

import os
import random
import sys

import torch

import student as static
from compose import compose
from data import STAGES, learned_by, load, load_lexicon, read_glosses, tool_text
from export import export
from lesson import Lesson
from measure import measure, show
from model_file import write
from teacher import QUERY_PIECES, Encoder, average, fine_tune

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL_ID = "tools-static-v6"
RERANKER_ID = "tools-minilm-v5"
SEEDS = (7, 8)
GLOSSES = 60_000


def main(data, teacher_folder, wordnet, out, *stages):
    tools, queries = load(data)
    lexicon = load_lexicon(os.path.join(HERE, "lexicon"))
    glosses = random.Random(2).sample(read_glosses(wordnet), GLOSSES)
    print(f"{len(tools)} tools, {len(queries)} queries, {len(lexicon)} lexicon entries, {len(glosses)} glosses", flush=True)
    encoder = Encoder(teacher_folder)
    show("MiniLM as it comes", dense_figures(encoder, tools, queries))
    for stage in stages or STAGES:
        folder = os.path.join(out, stage)
        os.makedirs(folder, exist_ok=True)
        learn = [q for q in queries if learned_by(stage, q)]
        rest = [q for q in queries if not learned_by(stage, q)]
        tune(encoder, tools, learn, folder)
        show(f"{stage}: teacher", dense_figures(encoder, tools, rest))
        distil(encoder, tools, learn, rest, lexicon, glosses, os.path.join(folder, MODEL_ID + ".bin"), stage)
        export(encoder, os.path.join(folder, RERANKER_ID + ".onnx"))


def dense_figures(encoder, tools, queries):
    english = [q.get("english") or q["query"] for q in queries]
    return measure(tools, queries, encoder.encode([tool_text(t) for t in tools]), encoder.encode(english, QUERY_PIECES))


def tune(encoder, tools, queries, folder):
    """Runs that are already in the folder are taken from there: a script that was stopped goes on with the next one."""
    learn = [dict(q, query=q.get("english") or q["query"]) for q in queries]
    runs = []
    for seed in SEEDS:
        kept = os.path.join(folder, f"teacher-{seed}.pt")
        if not os.path.exists(kept):
            torch.save(fine_tune(encoder, tools, learn, seed=seed), kept + ".part")
            os.replace(kept + ".part", kept)
        runs.append(torch.load(kept, map_location=encoder.device))
    encoder.model.load_state_dict(average(runs))


def distil(encoder, tools, learn, rest, lexicon, glosses, path, stage):
    several = compose(tools, [q for q in learn if not q.get("english")], SEEDS[0])
    lesson = Lesson(tools, learn, several, lexicon, glosses)
    vocabulary, pack, targets, start = lesson.prepare(encoder, [q["query"] for q in rest])
    net = start()
    static.train(net, pack, targets, list(lesson.groups.values()), list(lesson.pairs.values()))
    asked = range(len(lesson.items), len(lesson.items) + len(rest))
    rows = measure(tools, rest, static.encode(net, pack, lesson.docs), static.encode(net, pack, list(asked)))
    show(f"{stage}: student, fields {[round(f, 2) for f in net.fields.abs().tolist()]}", rows)
    fields = dict(zip(static.FIELDS, [round(f, 4) for f in net.fields.abs().tolist()]))
    write({"modelId": MODEL_ID, "dimensions": static.DIMENSIONS, "fields": fields}, vocabulary, net.table().detach().cpu().numpy(), path)


if __name__ == "__main__":
    main(*sys.argv[1:])
