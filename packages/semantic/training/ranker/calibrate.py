"""Scales the logistic models of the verdict so that their probabilities mean what they say: `calibrate.py OUT`.

Reads what `dump-verdict.mjs` wrote with and without the reranker. The order of requests stays, and so does what is refused: each model gets
another slope, and both get one value at the threshold. Half of the requests count as answerable, and each size of catalogs counts the same.
"""

import json
import os
import sys

import numpy as np

SIZES = (100, 1_000, 10_000)
STEPS, RATE, PARAPHRASE = 20_000, 0.5, 0.4
EVIDENCE = ("meaning", "bigrams", "cosine")
USUAL, LARGEST = 500, 10_000  # as in rank-hybrid.ts


def read(path, model):
    """Each request's evidence above the model's threshold, whether it has an answer, and what it counts."""
    with open(path, encoding="utf8") as lines:
        rows = [row for row in map(json.loads, lines) if not row["isNamed"]]
    scores = np.array([score_of(row, model) for row in rows])
    fits = np.array([row["inScope"] for row in rows], dtype=float)
    sizes = np.array([row["size"] for row in rows])
    counts = np.array([PARAPHRASE if row["kind"] == "paraphrase" else 1.0 for row in rows])
    for size in SIZES:
        for fit in (0, 1):
            group = (sizes == size) & (fits == fit)
            counts[group] /= counts[group].sum() * 2 * len(SIZES)
    return scores, fits, counts


def score_of(row, model):
    evidence = np.array(row["evidence"] or [[0, 0, 0]], dtype=float)
    evidence[:, 1] *= row["known"]
    tenfolds = np.log10(np.clip(row["tools"], USUAL, LARGEST) / USUAL)
    most = (evidence @ np.array([model[name] for name in EVIDENCE])).max()
    return most - model["threshold"] - model["perTenfold"] * tenfolds


def probability(logit):
    return 1 / (1 + np.exp(-logit))


def fit(parts, edge):
    """A slope for each model, and the log-odds that both have at the present edge."""
    slopes, level = np.ones(len(parts)), edge
    for _ in range(STEPS):
        errors = [(probability(slope * (s - edge) + level) - fits) * counts for slope, (s, fits, counts) in zip(slopes, parts)]
        slopes = slopes - RATE * np.array([(error * (s - edge)).sum() for error, (s, _, _) in zip(errors, parts)])
        level -= RATE * sum(error.sum() for error in errors)
    return slopes, level


def show(title, said, fits, counts):
    bins = np.minimum(9, (said * 10).astype(int))
    found = []
    for at in range(10):
        some = bins == at
        if some.any():
            found.append(f"{np.average(said[some], weights=counts[some]):.2f} {np.average(fits[some], weights=counts[some]):.2f}")
    off = np.average(np.abs([np.average(fits[bins == b], weights=counts[bins == b]) for b in bins] - said), weights=counts)
    print(f"   {title}, said and is: " + ", ".join(found) + f"; off by {off:.3f} on average")


def main(out):
    with open(os.path.join(out, "fit-models.json"), encoding="utf8") as file:
        present = json.load(file)
    files = {"hybrid": "takeout.jsonl", "reranker": "takeout-reranked.jsonl"}
    parts = {name: read(os.path.join(out, path), present[name]) for name, path in files.items()}
    edge = np.log(present["least"] / (1 - present["least"]))
    slopes, level = fit(list(parts.values()), edge)
    least = round(float(probability(level)), 2)
    level = np.log(least / (1 - least))
    print(f"least confidence {least}")
    for slope, (name, (scores, fits, counts)) in zip(slopes, parts.items()):
        model = {key: round(float(slope * present[name][key]), 2) for key in (*EVIDENCE, "perTenfold")}
        threshold = slope * (present[name]["threshold"] + edge) - level
        print(name, json.dumps({**model, "threshold": round(float(threshold), 2)}))
        show("before", probability(scores), fits, counts)
        show("after", probability(slope * (scores - edge) + level), fits, counts)


main(*sys.argv[1:])
