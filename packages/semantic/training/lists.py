"""What the models learn from, as lists: a request, its answers, and tools that look like answers.

- requests with the engine's best wrong tools (`mine-negatives.mjs`) and the siblings that are named most alike;
- requests put together (`compose.py`);
- a sentence of a tool, or its name, with the tool shown without it, among its siblings;
- requests made to tell siblings apart (`contrast.py`).
"""

import random
import re

from compose import compose
from contrast import contrast_requests
from data import tool_text

VIEWS = ("whole", "bare", "head", "nameless")
CONTRASTED = ("services", "vendors", "market", "mcp", "github")
PER_TOOL = {"ask": 12, "several": 12, "sentence": 1, "contrast": 2}  # of a kind, in an epoch
PER_CATALOG = {"ask": 4000, "several": 1500, "sentence": 1500, "contrast": 1000}


def view_texts(tools):
    """Each tool with all it says, without what it says of itself, with the first sentence alone, and without its name."""
    found = {view: [] for view in VIEWS}
    for tool in tools:
        fields = tool["fields"]
        tail = f" Parameters: {fields['parameters']}" if fields["parameters"] else ""
        head = f"{fields['server']} {fields['name']}"
        found["whole"].append(tool_text(tool))
        found["bare"].append(f"{head}:{tail}".strip())
        found["head"].append(f"{head}: {sentences_of(tool)[0] if sentences_of(tool) else ''}{tail}".strip())
        found["nameless"].append(f"{fields['server']}: {fields['description']}{tail}".strip())
    return found


def sentences_of(tool):
    return [s.strip()[:300] for s in re.split(r"(?<=[.!?])\s+|\n+", tool["fields"]["description"]) if len(s.strip()) >= 15]


def sentence_rows(tools, indexes):
    rows = []
    for index in indexes:
        tool = tools[index]
        sentences = sentences_of(tool)
        own = {"kind": "sentence", "catalog": tool["catalog"], "gold": [index]}
        if sentences:
            rows.append({**own, "query": sentences[0], "view": "bare"})
        rows += [{**own, "query": sentence, "view": "head"} for sentence in sentences[1:4]]
        if sentences and len(tool["fields"]["name"]) >= 6:
            rows.append({**own, "query": tool["fields"]["name"].lower(), "view": "nameless"})
    return rows


def siblings_of(tools, answers, most=8):
    """For each tool the others of its server whose names have most words in common with its own."""
    by_server = {}
    for index in answers:
        tool = tools[index]
        by_server.setdefault((tool["catalog"], tool["server"]), []).append((index, set(tool["fields"]["name"].lower().split())))
    found = {}
    for (_, server), members in by_server.items():
        if not server:
            continue
        for index, words in members:
            others = [(len(words & theirs) / max(1, len(words | theirs)), other) for other, theirs in members if other != index]
            others.sort(key=lambda pair: (-pair[0], pair[1]))
            found[index] = [other for _, other in others[:most]]
    return found


def learning_rows(tools, queries, learn_text, mined, is_old, seed):
    """All rows, each with its kind, its view of tools and the wrong tools it may be shown (`near`)."""
    asks = [
        {"kind": "ask", "catalog": q["catalog"], "query": q.get("english") or q["query"], "gold": q["gold"], "view": "whole", "mined": mined[q["at"]]}
        for q in queries
    ]
    several = [{**row, "kind": "several", "view": "whole"} for row in compose(tools, asks, seed)]
    rows = asks + several + [row for row in sentence_rows(tools, learn_text) if not is_old or row["view"] == "bare"]
    if not is_old:
        some = [i for i in learn_text if tools[i]["catalog"].split("-")[0] in CONTRASTED]
        rows += [{**row, "kind": "contrast", "view": "whole"} for row in contrast_requests(tools, some, seed)]
    answers = {gold for row in rows for gold in row["gold"]}
    siblings = siblings_of(tools, sorted({g for row in rows if row["kind"] != "sentence" for g in row["gold"]} if is_old else answers))
    for row in rows:
        gold = set(row["gold"])
        row["near"] = [n for n in row.pop("mined", ()) if n in answers and n not in gold]
        row["siblings"] = [] if is_old else [s for g in row["gold"] for s in siblings.get(g, ()) if s not in gold]
    return rows


def epoch_batches(tools, rows, size, rng, is_old):
    """Batches of one catalog, kind and view: what is wrong for one row is then what a search in that catalog meets. In half of them whole servers stand together."""
    groups = {}
    for row in rows:
        groups.setdefault((row["catalog"], row["kind"], row["view"]), []).append(row)
    batches = []
    for (_, kind, _), some in groups.items():
        some = evened(some, PER_TOOL[kind], PER_CATALOG[kind], rng)
        by_server = not is_old and (kind in ("sentence", "contrast"))
        halves = [(some, True)] if by_server else [(some[::2], False), (some[1::2], not is_old)]
        for part, is_grouped in halves:
            if is_grouped:
                part = together(tools, part, rng)
            batches += [part[i:i + size] for i in range(0, len(part), size)]
    batches = [batch for batch in batches if len(batch) >= 8]
    rng.shuffle(batches)
    return batches


def evened(rows, per_tool, most, rng):
    """No tool is asked for more than `per_tool` times, no catalog more than `most` times."""
    rows = rng.sample(rows, len(rows))
    counts, kept = {}, []
    for row in rows:
        first = row["gold"][0]
        counts[first] = counts.get(first, 0) + 1
        if counts[first] <= per_tool:
            kept.append(row)
    return kept[:most]


def together(tools, rows, rng):
    by_server = {}
    for row in rows:
        by_server.setdefault(tools[row["gold"][0]]["server"], []).append(row)
    servers = list(by_server.values())
    rng.shuffle(servers)
    return [row for some in servers for row in some]


def wrong_tools(row, tools_of_catalog, rng, near, siblings):
    """Some that look like answers, some that stand beside one, and one by chance where there are too few."""
    gold = set(row["gold"])
    found = rng.sample(row["near"][:16], min(near, len(row["near"][:16])))
    others = [s for s in row["siblings"] if s not in found]
    found += rng.sample(others, min(siblings, len(others)))
    while len(found) < near + siblings:
        one = rng.choice(tools_of_catalog)
        if one in gold:
            one = rng.choice(tools_of_catalog)
        if one in gold:
            break
        found.append(one)
    return found
