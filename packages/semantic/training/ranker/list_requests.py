"""Lists the requests that the ranker and the verdict are fitted and reported on: `list_requests.py DATA OUT`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from compose import compose  # noqa: E402
from data import is_own, load, read_lines  # noqa: E402

MOST_RANKED = {"held": 800, "report": 2000}  # of a catalog
MOST_SEVERAL, MOST_GOLD, SEED = 300, 5, 5
LEARNED_SETS = ("metatool", "seal_tools", "bfcl_pooled", "stabletoolbench")
SERVERS_OF_A_GROUP, LEAST_TOOLS = 4, 8


def evenly(items, most):
    step = max(1, -(-len(items) // most))
    return items[::step]


def main(data, out):
    tools, queries = load(data)

    def label(index):
        """A tool's name, with its server in catalogs where it is one only with that."""
        tool = tools[index]
        is_of_server = tool["catalog"] == "mcp-servers" or is_own(tool["catalog"])
        return f"{tool['server']}/{tool['name']}" if is_of_server else tool["name"]

    def row(task, kind, catalog, query, in_scope):
        label_of = (lambda index: tools[index]["name"]) if catalog.startswith("alike:") else label
        gold = [label_of(index) for index in query["gold"]] if in_scope else []
        return {
            "task": task, "kind": kind, "catalog": catalog, "query": query["query"], "gold": gold, "part": query["part"],
            "from": query["catalog"], "english": query.get("language", "en") == "en",
        }

    def is_several(query):
        """Whether a message asks for tools of several servers, and all of them fit into an answer."""
        servers = {tools[index]["server"] or tools[index]["name"] for index in query["gold"]}
        return len(servers) > 1 and len(query["gold"]) <= MOST_GOLD

    rows = []
    for catalog in sorted({query["catalog"] for query in queries}):
        for split, most in MOST_RANKED.items():
            mine = [query for query in queries if query["catalog"] == catalog and query["split"] == split]
            among = "services" if catalog.startswith("services-") else catalog
            rows += [row("ranking", split, among, query, True) for query in evenly(mine, most)]
            if split == "held":
                english = [query for query in mine if query["part"] != "paraphrase" and query.get("language", "en") == "en"]
                several = [dict(query, part="several") for query in compose(tools, english, SEED) if is_several(query)]
                rows += [row("ranking", split, among, query, True) for query in evenly(several, MOST_SEVERAL)]

    def chosen(catalog, split, part=None):
        return [
            query for query in queries
            if query["catalog"] == catalog and query["split"] == split and (part is None or query["part"] == part)
        ]

    def verdict(kind, catalog, some, in_scope, most):
        return [row("verdict", kind, catalog, query, in_scope) for query in evenly(some, most)]

    for catalog in LEARNED_SETS:
        rows += verdict("held", catalog, chosen(catalog, "held"), True, 400)
        rows += verdict("alike", "alike:" + catalog, chosen(catalog, "held"), True, 400)
    servers = [line["server"] for line in read_lines(os.path.join(data, "catalogs", "mcp-servers.jsonl.gz")) if len(line["tools"]) >= LEAST_TOOLS]
    groups = [servers[start:start + SERVERS_OF_A_GROUP] for start in range(0, len(servers), SERVERS_OF_A_GROUP)]
    for number, group in enumerate(groups):
        name = "servers:" + ",".join(group)
        own = [query for query in queries if query["catalog"] == "mcp-servers" and tools[query["gold"][0]]["server"] in group]
        rows += verdict("held", name, own, True, 60)
        rows += verdict("alike", "alike:" + name, own, True, 60)
        for catalog in LEARNED_SETS:
            rows += verdict("held", name, chosen(catalog, "held")[number::len(groups)], False, 30)
            rows += verdict("alike", "alike:" + name, chosen(catalog, "held")[number::len(groups)], False, 30)
    for catalog in ("apibank", "arcade_dev"):
        rows += verdict("report", catalog, chosen(catalog, "report"), True, 300)
    rows += verdict("report", "apibank", chosen("seal_tools", "report", "test_out_domain"), False, 700)
    rows += verdict("report", "github-mcp-server", chosen("metatool", "report"), False, 1000)
    rows += verdict("report", "github-mcp-server", [query for query in queries if query["catalog"] == "stabletoolbench"], False, 800)

    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "requests.jsonl"), "w", encoding="utf8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in rows)
    print(f"{sum(line['task'] == 'ranking' for line in rows)} requests to rank, {sum(line['task'] == 'verdict' for line in rows)} to judge")


main(*sys.argv[1:3])
