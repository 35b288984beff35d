"""The teacher: all-MiniLM-L6-v2, fine-tuned on pairs of request and tool; the weights of several runs are averaged."""

import os
import random
from collections import Counter

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from compose import compose, server_of
from data import tool_text

QUERY_PIECES = 96
TOOL_PIECES = 160
FEWEST_IN_A_BATCH = 8
EVENNESS = 0.5  # of servers within a catalog: at 0 each counts with its requests, at 1 all count the same

if torch.cuda.is_available():
    # cuDNN's attention makes a new plan for every shape of a batch, which takes most of the time of a step.
    torch.backends.cuda.enable_cudnn_sdp(False)


class Texts:
    """Texts as ids on the device: read once, taken many times."""

    def __init__(self, tokenizer, texts, length, device):
        tokenizer.enable_truncation(length)
        tokenizer.no_padding()
        encoded = tokenizer.encode_batch([text or "." for text in texts])
        self.lengths = torch.tensor([len(e.ids) for e in encoded])
        ids = torch.zeros(len(encoded), int(self.lengths.max()), dtype=torch.int32)
        for row, one in enumerate(encoded):
            ids[row, : len(one.ids)] = torch.tensor(one.ids, dtype=torch.int32)
        self.ids = ids.to(device)

    def take(self, rows):
        rows = torch.as_tensor(rows)
        lengths = self.lengths[rows].to(self.ids.device)
        longest = int(lengths.max())
        ids = self.ids[rows.to(self.ids.device), :longest].long()
        return ids, (torch.arange(longest, device=ids.device)[None] < lengths[:, None]).long()


class Encoder:
    def __init__(self, folder, device="cuda"):
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.device = device
        config = BertConfig.from_json_file(os.path.join(folder, "config.json"))
        self.model = BertModel(config, add_pooling_layer=False).to(device)
        weights = {k: v.float() for k, v in load_file(os.path.join(folder, "model.fp16.safetensors")).items() if "position_ids" not in k and "pooler" not in k}
        missing, _ = self.model.load_state_dict(weights, strict=False)
        assert not [m for m in missing if "position_ids" not in m], missing
        self.start = {k: v.clone() for k, v in self.model.state_dict().items()}

    def texts(self, texts, length):
        return Texts(self.tokenizer, texts, length, self.device)

    def vectors(self, ids, mask):
        """Normalised mean-pooled vectors, with gradients if they are on."""
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.device == "cuda"):
            states = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        mask = mask.unsqueeze(-1).float()
        pooled = (states.float() * mask).sum(1) / mask.sum(1).clamp(min=1)
        return torch.nn.functional.normalize(pooled, dim=-1)

    @torch.no_grad()
    def encode(self, texts, length=TOOL_PIECES, size=1024):
        self.model.eval()
        known = texts if isinstance(texts, Texts) else self.texts(texts, length)
        order = torch.argsort(known.lengths)
        found = torch.empty(len(order), 384, device=self.device)
        for start in range(0, len(order), size):
            chunk = order[start:start + size]
            found[chunk.to(self.device)] = self.vectors(*known.take(chunk))
        return found


def mine_negatives(encoder, tools, queries, depth=60):
    """For each query the tools that look most like it and are not gold.

    Only tools that some query of the catalog asks for: one that is never an answer would only ever be pushed away, and
    requests for it, which training doesn't have, would then find it last.
    """
    vectors = encoder.encode([tool_text(t) for t in tools])
    for catalog in sorted({q["catalog"] for q in queries}):
        some = [q for q in queries if q["catalog"] == catalog]
        members = sorted({g for q in some for g in q["gold"]})
        columns = vectors[torch.tensor(members, device=vectors.device)]
        asked = encoder.encode([q["query"] for q in some], QUERY_PIECES)
        for start in range(0, len(some), 2048):
            top = (asked[start:start + 2048] @ columns.T).topk(min(depth, len(members)), dim=1)
            indexes, values = top.indices.tolist(), top.values.tolist()
            for row, query in enumerate(some[start:start + 2048]):
                best = float((vectors[torch.tensor(query["gold"], device=vectors.device)] @ asked[start + row]).max())
                found = [(members[i], s) for i, s in zip(indexes[row], values[row])]
                # What scores above the gold tool is too often a right answer that nobody labelled.
                query["negatives"] = [i for i, s in found if i not in query["gold"] and s < best - 0.01][:20]


def text_pairs(tools):
    """Each tool's first sentence as a request for the tool, which is then shown without its description.

    Every tool of every catalog is an answer here, so that none is only ever a wrong one.
    """
    pairs = []
    for i, tool in enumerate(tools):
        first = tool["fields"]["description"].strip().split(". ")[0][:300]
        if len(first) >= 15:
            pairs.append({"catalog": "text/" + tool["catalog"], "query": first, "gold": [i]})
    return pairs


def bare_text(tool):
    fields = tool["fields"]
    tail = f" Parameters: {fields['parameters']}" if fields["parameters"] else ""
    return f"{fields['server']} {fields['name']}:{tail}".strip()


def lesson_rows(encoder, tools, queries, seed):
    """All that is learned from: requests, requests put together, and the tools' own sentences; each with its place `at` among the texts."""
    several = [dict(row, catalog="several/" + row["catalog"]) for row in compose(tools, queries, seed)]
    asked = [dict(query) for query in queries] + several
    mine_negatives(encoder, tools, asked)
    rows = asked + text_pairs(tools)
    for at, row in enumerate(rows):
        row["at"] = at
    return rows


def shares_of(tools, rows):
    """How often each row of a catalog is drawn: a server with many tools has more requests than people would ask of it."""
    servers = [server_of(tools, row) or row["gold"][0] for row in rows]
    counts = Counter(servers)
    return [counts[server] ** -EVENNESS for server in servers]


def batches_of(by_catalog, shares, caps, size, rng):
    """Batches of one catalog: the negatives are then the ones that a search in that catalog meets."""
    batches = []
    for catalog, some in by_catalog.items():
        rows = rng.choices(some, shares[catalog], k=min(len(some), caps[catalog]))
        batches.extend(rows[i:i + size] for i in range(0, len(rows), size))
    batches = [batch for batch in batches if len(batch) >= FEWEST_IN_A_BATCH]
    rng.shuffle(batches)
    return batches


def fine_tune(encoder, tools, queries, epochs=5, size=192, rate=5e-5, cap=4000, part_cap=1500, negatives=2, seed=7):
    """Contrastive training with in-batch and mined negatives, from the original weights.

    No catalog gives more than `cap` queries, and `part_cap` composed ones and as many of its own sentences, an epoch.
    """
    rng = random.Random(seed)
    torch.manual_seed(seed)
    encoder.model.load_state_dict(encoder.start)
    rows = lesson_rows(encoder, tools, queries, seed)
    asked = encoder.texts([row["query"] for row in rows], QUERY_PIECES)
    whole = encoder.texts([tool_text(t) for t in tools], TOOL_PIECES)
    bare = encoder.texts([bare_text(t) for t in tools], TOOL_PIECES)
    by_catalog = {}
    for row in rows:
        by_catalog.setdefault(row["catalog"], []).append(row)
    caps = {c: part_cap if "/" in c else cap for c in by_catalog}
    shares = {catalog: shares_of(tools, some) for catalog, some in by_catalog.items()}
    plan = [batches_of(by_catalog, shares, caps, size, rng) for _ in range(epochs)]
    optimizer = torch.optim.AdamW(encoder.model.parameters(), lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=sum(map(len, plan)) + 1, pct_start=0.1)
    encoder.model.train()
    for epoch, batches in enumerate(plan):
        total = torch.zeros((), device=encoder.device)
        for batch in batches:
            gold = [rng.choice(row["gold"]) for row in batch]
            extra = [n for row in batch for n in rng.sample(row.get("negatives", []), min(negatives, len(row.get("negatives", []))))]
            columns = list(dict.fromkeys(gold + extra))
            place = {c: i for i, c in enumerate(columns)}
            shown = bare if batch[0]["catalog"].startswith("text/") else whole
            logits = encoder.vectors(*asked.take([row["at"] for row in batch])) @ encoder.vectors(*shown.take(columns)).T / 0.05
            right = [(at, place[other]) for at, row in enumerate(batch) for other in row["gold"] if other != gold[at] and other in place]
            if right:
                logits = logits.index_put(tuple(torch.tensor(right, device=logits.device).T), torch.tensor(-1e4, device=logits.device))
            loss = torch.nn.functional.cross_entropy(logits, torch.tensor([place[g] for g in gold], device=logits.device))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(encoder.model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.detach()
        print(f"epoch {epoch + 1}: loss {float(total) / len(batches):.3f} over {len(batches)} batches", flush=True)
    return {k: v.clone() for k, v in encoder.model.state_dict().items()}


def average(runs):
    """The mean of several runs' weights (Wortsman et al., "Model soups", 2022)."""
    return {k: sum(run[k] for run in runs) / len(runs) if v.is_floating_point() else v for k, v in runs[0].items()}
