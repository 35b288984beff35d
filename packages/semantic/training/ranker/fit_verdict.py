"""Fits the logistic model of "nothing fits" on held requests and prints what it refuses: `fit_verdict.py OUT [--reranked]`."""

import json
import os
import sys

import numpy as np

FEATURES = ("meaning", "bigrams", "cosine")
START = np.array([5.0, 5.0, 8.0])
ROUNDS, STEPS, RATE, SHRINK = 4, 3000, 5.0, 1e-3
LOST = 0.01  # of right answers


def read(path):
    with open(path, encoding="utf8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        row["evidence"] = np.array(row["evidence"] or [[0.0] * len(FEATURES)])
    return rows


def fit(rows, columns):
    """Non-negative weights; requests in and out of scope count the same in all.

    A request is judged by the tool with the most evidence, and which that is depends on the weights: some rounds of both.
    """
    fits = np.array([row["inScope"] for row in rows], dtype=float)
    importance = np.where(fits == 1, 0.5 / fits.sum(), 0.5 / (1 - fits).sum())
    weights = np.where(columns, START, 0)
    for _ in range(ROUNDS):
        features = np.array([row["evidence"][np.argmax(row["evidence"] @ weights)] for row in rows]) * columns
        middle, spread = features.mean(0), features.std(0) + 1e-9
        scaled = (features - middle) / spread
        slopes, bias = np.zeros(len(FEATURES)), 0.0
        for _ in range(STEPS):
            error = (1 / (1 + np.exp(-(scaled @ slopes + bias))) - fits) * importance
            slopes = np.maximum(0, slopes - RATE * (scaled.T @ error + SHRINK * slopes))
            bias -= RATE * error.sum()
        weights = np.where(columns, slopes / spread, 0)
    return weights, (weights * middle).sum() - bias


def main(out, *flags):
    is_reranked = "--reranked" in flags
    rows = read(os.path.join(out, "verdict-reranked.jsonl" if is_reranked else "verdict.jsonl"))
    columns = np.array([name != "cosine" or is_reranked for name in FEATURES])
    weights, threshold = fit([row for row in rows if row["kind"] == "held"], columns)
    print("fit model", json.dumps({**dict(zip(FEATURES, weights.round(1).tolist())), "threshold": round(float(threshold), 1)}))

    def confidence(row):
        return 1.0 if row["isNamed"] else 1 / (1 + np.exp(threshold - (row["evidence"] @ weights).max()))

    for learned_on in ("held", "report"):
        right = sorted(confidence(row) for row in rows if row["kind"] == learned_on and row["inScope"] and row["isRight"])
        least = right[int(len(right) * LOST)]
        print(f"below {least:.3f}, where {LOST:.0%} of right {learned_on} answers lie, is refused of what has no answer:")
        for kind in ("held", "report"):
            groups = {}
            for row in rows:
                if row["kind"] == kind and not row["inScope"]:
                    catalog = "other servers" if row["catalog"].startswith("servers:") else row["catalog"]
                    groups.setdefault(f"{row['from']} → {catalog}", []).append(confidence(row) < least)
            print(f"   {kind}: " + ", ".join(f"{name} {np.mean(values) * 100:.1f} %" for name, values in groups.items()))
        right = [confidence(row) < least for row in rows if row["kind"] == "alike" and row["inScope"] and row["isRight"]]
        wrong = [confidence(row) < least for row in rows if row["kind"] == "alike" and not row["inScope"]]
        print(f"   where all tools end in the same words: {np.mean(wrong) * 100:.1f} %, and {np.mean(right) * 100:.1f} % of right answers")


main(*sys.argv[1:])
