"""Retrieval figures of vectors for each catalog and split: hit@5, recall@5, and recall@5 with every server counting the same."""

import torch

from compose import server_of


def measure(tools, queries, tool_vectors, query_vectors):
    by_catalog, rows = {}, {}
    for i, tool in enumerate(tools):
        by_catalog.setdefault(tool["catalog"], []).append(i)
    groups = {}
    for i, query in enumerate(queries):
        language = "" if query.get("language", "en") == "en" else "/other"
        groups.setdefault((query["split"], query["catalog"] + language), []).append(i)
    for (split, name), members in sorted(groups.items()):
        catalog = name.split("/")[0]
        columns = torch.tensor(by_catalog[catalog], device=tool_vectors.device)
        place = {int(c): k for k, c in enumerate(columns)}
        hits = recall = 0.0
        of_server = {}
        for start in range(0, len(members), 2048):
            chunk = members[start:start + 2048]
            scores = query_vectors[chunk] @ tool_vectors[columns].T
            top = scores.topk(min(5, len(columns)), dim=1).indices.tolist()
            for row, index in enumerate(chunk):
                gold = {place[g] for g in queries[index]["gold"]}
                found = len(gold & set(top[row]))
                hits += found > 0
                recall += found / len(gold)
                of_server.setdefault(server_of(tools, queries[index]) or queries[index]["gold"][0], []).append(found / len(gold))
        even = sum(sum(some) / len(some) for some in of_server.values()) / len(of_server)
        rows[(split, name)] = (100 * hits / len(members), 100 * recall / len(members), 100 * even)
    return rows


def show(title, rows):
    print(f"== {title}")
    for split in ("held", "report"):
        some = {k: v for k, v in rows.items() if k[0] == split}
        if not some:
            continue
        line = "  ".join(f"{name} {hit:.1f}/{recall:.1f}" for (_, name), (hit, recall, _) in some.items())
        macro, even = (sum(v[at] for v in some.values()) / len(some) for at in (1, 2))
        print(f"  {split} (hit@5/recall@5): {line}  | macro recall {macro:.2f}, every server counting the same {even:.2f}", flush=True)
