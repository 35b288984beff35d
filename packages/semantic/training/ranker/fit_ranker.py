"""Fits the ranker's weights on held requests and prints what they give: `fit_ranker.py OUT [--reranked] [--without FEATURE]`."""

import json
import os
import sys
from collections import Counter

import numpy as np

STEPS, RATE, SHRINK, START = 400, 0.1, 1e-3, 2.0
SIBLING_WEIGHT, CLAIMING_FIT, ANSWER = 2.0, 5.0, 5
FIRST, RERANKED = {"intent": 5.0, "chatter": 2.0}, {"intent": 4.0, "chatter": 2.5}
EVENNESS = 0.5  # of servers within a catalog: at 0 each counts with its requests, at 1 all count the same
PARAPHRASE = 0.4  # what a paraphrase counts: far more of the project's requests avoid every word of their tool than people do


def read(path):
    """Requests as arrays: features (tools × features), clauses (tools × clauses), and one value a tool of the others."""
    requests = []
    with open(path, encoding="utf8") as lines:
        for line in lines:
            raw = json.loads(line)
            gold, bonus, features, clauses, servers, closeness = zip(*raw.pop("tools"))
            requests.append({
                **raw, "count": raw["gold"], "names": raw["features"], "gold": np.array(gold), "bonus": np.array(bonus),
                "features": np.array(features), "clauses": np.array(clauses), "servers": np.array(servers), "closeness": np.array(closeness),
            })
    return requests


def server_of(request):
    """Whose tool is asked for, the first one's where there are several; None where none of them was weighed."""
    at = np.flatnonzero(request["gold"])
    return (request["catalog"], int(request["servers"][at[0]])) if at.size else None


def importance_of(requests):
    """Every catalog counts with the root of its requests, and so does every server within its catalog."""
    catalogs, servers, rarity = Counter(r["catalog"] for r in requests), Counter(map(server_of, requests)), {}
    for request in requests:
        rarity.setdefault(request["catalog"], []).append(servers[server_of(request)] ** -EVENNESS)
    importance = np.array([
        (PARAPHRASE if r["part"] == "paraphrase" else 1) * servers[server_of(r)] ** -EVENNESS / np.mean(rarity[r["catalog"]]) / np.sqrt(catalogs[r["catalog"]])
        for r in requests
    ])
    return importance / importance.sum()


def fit(requests, columns):
    """Non-negative weights by projected Adam on the softmax loss that README.md describes."""
    learned = [r for r in requests if r["kind"] == "held" and r["english"] and r["part"] != "several" and r["gold"].any()]
    importance = importance_of(learned)
    features = np.concatenate([r["features"][:, columns] for r in learned])
    gold = np.concatenate([r["gold"] for r in learned])
    owner = np.repeat(np.arange(len(learned)), [len(r["gold"]) for r in learned])
    starts = np.searchsorted(owner, np.arange(len(learned)))
    share = gold / np.add.reduceat(gold, starts)[owner]
    weights = np.full(len(columns), START)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = features @ weights
        likely = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        likely /= np.add.reduceat(likely, starts)[owner]
        slope = ((likely - share) * importance[owner]) @ features + SHRINK * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        change = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
        weights = np.maximum(0, weights - RATE * change)
    return weights


def order(request, weights, kept, stage):
    """The first five, place by place, as `order-answer.ts` has it; `kept` is a tool that has a place in five, or None."""
    scores = request["features"] @ weights + request["bonus"]
    clauses = request["clauses"].reshape(len(scores), -1)
    best = np.maximum(clauses.max(0, initial=0), 1e-9)
    shares = clauses / best * np.clip((best - stage["chatter"]) / (CLAIMING_FIT - stage["chatter"]), 0, 1)
    served, chosen, siblings = np.zeros(shares.shape[1]), [], np.zeros(len(scores))
    for place in range(min(ANSWER, len(scores))):
        now = scores + siblings + stage["intent"] * np.maximum(0, shares - served).sum(1)
        now[chosen] = -np.inf
        next_one = int(np.argmax(now))
        if place == ANSWER - 1 and kept is not None and kept not in chosen and request["bonus"][next_one] == 0:
            next_one = kept
        chosen.append(next_one)
        served = np.maximum(served, shares[next_one])
        if shares.shape[1] > 0 and siblings[next_one] == 0:
            siblings[request["servers"] == request["servers"][next_one]] = SIBLING_WEIGHT * request["closeness"][next_one]
    return np.array(chosen)


def nearest(request):
    return int(np.argmax(request["features"][:, request["names"].index("meaning")]))


def report(title, requests, weights, one_clause, stage):
    for kind in ("held", "report"):
        found, by_server = {}, {}
        for request in requests:
            if request["kind"] == kind:
                kept = nearest(request) if stage is FIRST else None
                hits = request["gold"][order(request, weights if request["clauses"].size else one_clause, kept, stage)].sum()
                key = request["catalog"] + (", several" if request["part"] == "several" else "" if request["english"] else ", other languages")
                found.setdefault(key, []).append((hits > 0, hits / request["count"]))
                if "," not in key and request["gold"].any():
                    by_server.setdefault(key, {}).setdefault(server_of(request), []).append(hits / request["count"])
        figures = {key: np.mean(values, 0) * 100 for key, values in found.items()}
        macro = np.mean([recall for key, (_, recall) in figures.items() if "," not in key])
        several = [recall for key, (_, recall) in figures.items() if key.endswith(", several")]
        alike = 100 * np.mean([np.mean([np.mean(recalls) for recalls in servers.values()]) for servers in by_server.values()])
        print(f"{title}, {kind}: macro recall@5 {macro:.2f}{f', of requests put together {np.mean(several):.2f}' if several else ''}; hit@5 / recall@5:")
        print(f"   where a right tool was weighed, and every server counts the same: macro recall@5 {alike:.2f}")
        print("   " + ", ".join(f"{key} {hit:.1f} / {recall:.1f}" for key, (hit, recall) in figures.items()))


def main(out, *flags):
    is_reranked = "--reranked" in flags
    left_out = tuple(name for flag, name in zip(flags, flags[1:]) if flag == "--without")
    requests = read(os.path.join(out, "ranking-reranked.jsonl" if is_reranked else "ranking.jsonl"))
    names = requests[0]["names"]

    def fitted(title, some, without):
        columns = [at for at, name in enumerate(names) if name not in (*without, *left_out)]
        weights = np.zeros(len(names))
        weights[columns] = fit(some, columns).round(1)
        print(title, json.dumps({name: float(weight) for name, weight in zip(names, weights)}))
        return weights

    with open(os.path.join(out, "present.json"), encoding="utf8") as file:
        settings = json.load(file)
    tables = {title: table for title, table in settings.items() if isinstance(table, dict)}
    reranked = tuple(feature["name"] for feature in settings["table"] if feature.get("isReranked"))
    of_clauses = tuple(feature["name"] for feature in settings["table"] if feature.get("isClause"))
    present = {title: np.array([0 if name in left_out else table[name] for name in names]) for title, table in tables.items()}
    plain = [request for request in requests if not request["clauses"].size]
    if is_reranked:
        weights = fitted("rerankedWeights", [request for request in requests if request["clauses"].size], ())
        one_clause = fitted("rerankedOneClauseWeights", plain, of_clauses)
    else:
        weights = fitted("weights", requests, reranked)
        one_clause = fitted("oneClauseWeights", plain, (*reranked, *of_clauses))
    stage = RERANKED if is_reranked else FIRST
    report("these weights", requests, weights, one_clause, stage)
    titles = ("rerankedWeights", "rerankedOneClauseWeights") if is_reranked else ("weights", "oneClauseWeights")
    report("the present ones", requests, *(present[title] for title in titles), stage)


main(*sys.argv[1:])
