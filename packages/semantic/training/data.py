"""Reads the public sets, the catalogs and the project's own requests into tools and labelled queries.

Splits are fixed: `train` is learned from, `held` chooses settings and fits the ranker, `report` is only ever measured.
Tools of every catalog may be read; queries of the reporting splits may not be learned from.
"""

import glob
import gzip
import hashlib
import json
import os
import re

from pieces import split_case

HERE = os.path.dirname(os.path.abspath(__file__))
HELD_SHARE = 4  # one in four
STAGES = ("fold", "full")
OWN = ("services", "vendors", "market")  # folders of catalogs that were written for this project


def learned_by(stage, query):
    """Whether a model learns from a query. `fold` leaves out what is held, `blind` the project's own catalogs too, `full` only what is reported."""
    if stage == "full":
        return query["split"] != "report"
    return query["split"] == "train" and not (stage == "blind" and is_own(query["catalog"]))


def read_lines(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def is_held(key):
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % HELD_SHARE == 0


def identifier_words(text):
    return re.sub(r"[^0-9A-Za-z\u0080-\uffff]+", " ", split_case(text)).strip()


def parameters_of(schema):
    """Parameter names and descriptions, those of nested objects and lists to a depth of three, some sixty at most."""
    names, texts = [], []

    def walk(node, depth):
        if not isinstance(node, dict) or depth > 3 or len(names) > 60:
            return
        properties = node.get("properties")
        if isinstance(properties, dict):
            for name, value in properties.items():
                names.append(name)
                if isinstance(value, dict):
                    if isinstance(value.get("description"), str):
                        texts.append(value["description"])
                    walk(value, depth + 1)
        if isinstance(node.get("items"), dict):
            walk(node["items"], depth + 1)

    walk(schema or {}, 0)
    return names, texts


def to_tool(catalog, raw, server=None):
    server = server or raw.get("server") or ""
    schema = raw.get("input_schema") or raw.get("inputSchema") or raw.get("parameters")
    names, texts = parameters_of(schema)
    name = raw["name"]
    if server and name.lower().startswith(server.lower()):
        name = name[len(server):] or name
    return {
        "catalog": catalog,
        "name": raw["name"],
        "server": server,
        "fields": {
            "name": identifier_words(name),
            "server": identifier_words(server),
            "description": (raw.get("description") or "")[:1500],
            "parameters": " ".join(identifier_words(n) for n in names)[:600],
            "details": " ".join(texts)[:1200],
        },
    }


def is_own(catalog):
    return catalog.split("-")[0] in OWN


def own_files(own):
    """Each file of the project's own catalogs with its catalog: `services/office.jsonl` is one, `vendors/a-1.jsonl` and its like are one together.

    A request names every tool of its catalog that serves it, and none of another one.
    """
    for folder in OWN:
        for path in sorted(glob.glob(os.path.join(own, folder, "*.jsonl"))):
            name = os.path.basename(path).removesuffix(".jsonl")
            yield path, f"{folder}-{name.split('-')[0]}"


def with_schema(raw):
    properties = {name: {"description": text} if text else {} for name, text in raw.get("parameters", {}).items()}
    return {"name": raw["name"], "description": raw["description"], "input_schema": {"type": "object", "properties": properties}}


def tool_text(tool):
    """A tool as the teacher reads it. What is said of the parameters comes last, where a transformer can tell it from what is said of the tool."""
    fields = tool["fields"]
    head = f"{fields['server']} {fields['name']}".strip()
    parameters = f" Parameters: {fields['parameters']}" if fields["parameters"] else ""
    details = fields["details"][:240]
    return f"{head}: {fields['description']}{parameters}" + (f" {details}" if details else "")


def split_of(catalog, query):
    """Which of train, held and report a labelled query belongs to."""
    split = query.get("split") or ""
    gold = query["relevant"][0] if query["relevant"] else ""
    if catalog in ("apibank", "arcade_dev"):
        return "report"
    if catalog == "metatool":
        return "report" if split != "seen" else ("held" if is_held("metatool/" + gold) else "train")
    if catalog == "seal_tools":
        return {"dev": "held", "test_in_domain": "train"}.get(split, "report")
    if catalog == "bfcl_pooled":
        if split.startswith("live"):
            return "report"
        return "held" if split in ("multiple", "parallel_multiple") else "train"
    if catalog == "stabletoolbench":
        if not split.startswith("G1_"):
            return "report"
        return "held" if split == "G1_category" else "train"
    raise ValueError(catalog)


def load(data, own=HERE):
    """All tools, and all labelled queries as indexes into them. `own` has the project's requests and catalogs."""
    tools, queries, at = [], [], {}

    def add(tool, key):
        at[key] = len(tools)
        tools.append(tool)

    def ask(catalog, raw, names):
        """A request of the project's own: held out with the server of its first tool."""
        gold = [at[(catalog, name)] for name in names if (catalog, name) in at]
        if gold:
            queries.append({
                "catalog": catalog, "query": raw["query"], "gold": gold, "part": raw["kind"],
                "split": "held" if is_held("server/" + tools[gold[0]]["server"]) else "train",
                "language": raw.get("language", "en"), "english": raw.get("english"),
            })

    for folder in sorted(glob.glob(os.path.join(data, "retrieval", "*"))):
        catalog = os.path.basename(folder)
        for raw in read_lines(os.path.join(folder, "tools.jsonl.gz")):
            add(to_tool(catalog, raw), (catalog, raw["name"]))
        for raw in read_lines(os.path.join(folder, "queries.jsonl.gz")):
            gold = [at[(catalog, name)] for name in raw["relevant"] if (catalog, name) in at]
            if gold:
                split = split_of(catalog, raw)
                queries.append({"catalog": catalog, "query": raw["query"], "gold": gold, "split": split, "part": raw.get("split") or ""})
    for row in read_lines(os.path.join(data, "catalogs", "mcp-servers.jsonl.gz")):
        for raw in row["tools"]:
            add(to_tool("mcp-servers", raw, row["server"]), ("mcp-servers", f"{row['server']}/{raw['name']}"))
    for name in ("mcp-zero-308-servers", "github-mcp-server"):
        for raw in read_lines(os.path.join(data, "catalogs", name + ".tools.jsonl.gz")):
            add(to_tool(name, raw), (name, raw["name"]))
    for path in sorted(glob.glob(os.path.join(own, "requests", "*.jsonl"))):
        catalog = "mcp-zero-308-servers" if os.path.basename(path).startswith("zero-") else "mcp-servers"
        for raw in read_lines(path):
            ask(catalog, raw, raw["relevant"])
    services_of = {}
    for path, catalog in own_files(own):
        services_of.setdefault(catalog, []).extend(read_lines(path))
    for catalog, services in services_of.items():
        for service in services:
            for raw in service["tools"]:
                add(to_tool(catalog, with_schema(raw), service["server"]), (catalog, f"{service['server']}/{raw['name']}"))
        for service in services:
            for raw in service["requests"]:
                names = [f"{service['server']}/{name}" for name in raw["relevant"]]
                ask(catalog, raw, [own_name if (catalog, own_name) in at else name for own_name, name in zip(names, raw["relevant"])])
    return tools, queries


def load_lexicon(folder):
    """English word → language → forms."""
    entries = []
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        entries.extend(read_lines(path))
    return entries


def read_glosses(folder):
    """WordNet's definitions, examples and sets of synonyms, proper names left out: plain English of a wide vocabulary."""
    texts = {}
    for part in ("noun", "verb", "adj", "adv"):
        with open(os.path.join(folder, "data." + part), encoding="latin1") as lines:
            for line in lines:
                head, _, gloss = line.partition(" | ")
                if line.startswith(" "):
                    continue
                fields = head.split(" ")
                words = [fields[4 + 2 * i].replace("_", " ") for i in range(int(fields[3], 16))]
                if part == "noun" and any(word[0].isupper() for word in words):
                    continue
                definition = re.sub(r';?\s*"[^"]*"', "", gloss.strip()).strip(" ;")
                for text in (definition, *re.findall(r'"([^"]+)"', gloss), ", ".join(words)):
                    if 3 < len(text) < 220:
                        texts[text] = None
    return list(texts)
