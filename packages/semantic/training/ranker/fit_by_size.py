"""Which evidence tells requests apart whose service is in a catalog and whose is not, in three sizes of catalogs: `fit_by_size.py OUT [--reranked]`.

Reads what `dump-verdict.mjs` wrote. Half of the services fit, the other half is measured, and the other way round.
"""

import hashlib
import json
import os
import sys

import numpy as np

SIZES = (100, 1_000, 10_000)
START = {False: (19.1, 8.5, 0.0), True: (8.2, 5.9, 13.3)}  # by which the tool is chosen that a request is judged by
COUNTS_AGAINST = ("tools", "others", "reranked others")
STEPS, RATE, SHRINK, LOST, PARAPHRASE = 8_000, 3.0, 1e-4, 0.01, 0.4


def features_of(row, start):
    evidence = np.array(row["evidence"] or [[0, 0, 0]], dtype=float)
    evidence[:, 1] *= row["known"]
    best = evidence[np.argmax(evidence @ np.array(start))]
    near, cosines = np.sort(evidence[:, 0])[::-1], np.sort(evidence[:, 2])[::-1]
    return {
        "meaning": best[0], "bigrams": best[1], "cosine": best[2], "tools": np.log10(row["tools"]), "known": row["known"],
        "others": near[8:40].mean() if len(near) > 9 else 0.0, "lead": near[0] - near[1:4].mean() if len(near) > 4 else 0.0,
        "reranked others": cosines[8:40].mean() if len(cosines) > 9 else 0.0,
    }


def fit(values, fits, importance, signs):
    """A logistic model in which no weight has the wrong sign."""
    middle, spread = values.mean(0), values.std(0) + 1e-9
    scaled, slopes, bias = (values - middle) / spread, np.zeros(values.shape[1]), 0.0
    for _ in range(STEPS):
        error = (1 / (1 + np.exp(-(scaled @ slopes + bias))) - fits) * importance
        slopes = slopes - RATE * (scaled.T @ error + SHRINK * slopes)
        slopes = np.where(slopes * signs < 0, 0, slopes)
        bias -= RATE * error.sum()
    return slopes / spread, bias - (slopes / spread) @ middle


def report(rows, columns, is_reranked):
    features = [features_of(row, START[is_reranked]) for row in rows]
    values = np.array([[one[column] for column in columns] for one in features])
    fits = np.array([row["inScope"] for row in rows], dtype=float)
    size, named = np.array([row["size"] for row in rows]), np.array([row["isNamed"] for row in rows])
    right = (fits == 1) & np.array([row["isRight"] for row in rows])
    count = np.array([PARAPHRASE if row["kind"] == "paraphrase" else 1.0 for row in rows])
    half = np.array([int(hashlib.md5(row["server"].encode()).hexdigest(), 16) % 2 for row in rows])
    signs = np.array([-1 if column in COUNTS_AGAINST else 1 for column in columns])
    scores = np.zeros(len(rows))
    for part in (0, 1):
        learned = (half != part) & ~named
        importance = np.zeros(len(rows))
        for one in SIZES:
            for scope in (0, 1):
                group = learned & (size == one) & (fits == scope)
                importance[group] = count[group] / count[group].sum() / 6
        weights, bias = fit(values[learned], fits[learned], importance[learned], signs)
        scores[half == part] = (values @ weights + bias)[half == part]
    scores[named] = np.inf
    order = np.argsort(scores[right])
    share = np.cumsum(count[right][order]) / count[right].sum()
    least = scores[right][order][np.searchsorted(share, LOST)]
    figures = []
    for one in SIZES:
        lost = np.average(scores[right & (size == one)] < least, weights=count[right & (size == one)])
        figures.append(f"{one}: {100 * (scores[(fits == 0) & (size == one)] < least).mean():.0f} % refused, {100 * lost:.1f} % lost")
    print(", ".join(columns), "→", "; ".join(figures), {name: round(float(weight), 1) for name, weight in zip(columns, weights)})


def main(out, *flags):
    is_reranked = "--reranked" in flags
    with open(os.path.join(out, "takeout-reranked.jsonl" if is_reranked else "takeout.jsonl"), encoding="utf8") as lines:
        rows = [json.loads(line) for line in lines]
    base = ["meaning", "bigrams", *(["cosine"] if is_reranked else [])]
    more = [[], ["tools"], ["others"], ["tools", "others"], ["tools", "others", "known", "lead", *(["reranked others"] if is_reranked else [])]]
    for some in more:
        report(rows, base + some, is_reranked)


main(*sys.argv[1:])
