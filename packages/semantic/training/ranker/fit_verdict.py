"""Fits the logistic model of "nothing fits" on held requests and prints what it refuses: `fit_verdict.py OUT`."""

import json
import os
import sys

import numpy as np

FEATURES = ("meaning", "coverage", "bigrams")
STEPS, RATE, SHRINK = 3000, 5.0, 1e-3
LOST = 0.01  # of right answers


def fit(rows):
    """Non-negative weights; requests in and out of scope count the same in all."""
    features = np.array([[row[name] for name in FEATURES] for row in rows])
    fits = np.array([row["inScope"] for row in rows], dtype=float)
    middle, spread = features.mean(0), features.std(0)
    scaled = (features - middle) / spread
    importance = np.where(fits == 1, 0.5 / fits.sum(), 0.5 / (1 - fits).sum())
    weights, bias = np.zeros(len(FEATURES)), 0.0
    for _ in range(STEPS):
        error = (1 / (1 + np.exp(-(scaled @ weights + bias))) - fits) * importance
        weights = np.maximum(0, weights - RATE * (scaled.T @ error + SHRINK * weights))
        bias -= RATE * error.sum()
    return weights / spread, (weights / spread * middle).sum() - bias


def main(out):
    with open(os.path.join(out, "verdict.jsonl"), encoding="utf8") as lines:
        rows = [json.loads(line) for line in lines]
    weights, threshold = fit([row for row in rows if row["kind"] == "held"])
    print("FIT_MODEL", json.dumps({**dict(zip(FEATURES, weights.round(2).tolist())), "threshold": round(float(threshold), 2)}))

    def confidence(row):
        if row["named"]:
            return 1.0
        return 1 / (1 + np.exp(threshold - sum(w * row[name] for w, name in zip(weights, FEATURES))))

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


main(*sys.argv[1:])
