"""The teacher: all-MiniLM-L6-v2, fine-tuned on pairs of request and tool; the weights of several runs are averaged."""

import os
import random

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from data import teacher_text

QUERY_PIECES = 96
TOOL_PIECES = 160


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

    def batch(self, texts, length):
        self.tokenizer.enable_truncation(length)
        self.tokenizer.enable_padding()
        encoded = self.tokenizer.encode_batch(texts)
        ids = torch.tensor([e.ids for e in encoded], device=self.device)
        mask = torch.tensor([e.attention_mask for e in encoded], device=self.device)
        return ids, mask

    def vectors(self, texts, length):
        """Normalised mean-pooled vectors, with gradients if they are on."""
        ids, mask = self.batch(texts, length)
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.device == "cuda"):
            states = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        mask = mask.unsqueeze(-1).float()
        pooled = (states.float() * mask).sum(1) / mask.sum(1).clamp(min=1)
        return torch.nn.functional.normalize(pooled, dim=-1)

    @torch.no_grad()
    def encode(self, texts, length=TOOL_PIECES, size=1024):
        self.model.eval()
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        found = torch.empty(len(texts), 384, device=self.device)
        for start in range(0, len(order), size):
            chunk = order[start:start + size]
            found[chunk] = self.vectors([texts[i] or "." for i in chunk], length)
        return found


def mine_negatives(encoder, tools, queries, depth=60):
    """For each query the tools that look most like it and are not gold.

    Only tools that some query of the catalog asks for: one that is never an answer would only ever be pushed away, and
    requests for it, which training doesn't have, would then find it last.
    """
    vectors = encoder.encode([teacher_text(t) for t in tools])
    for catalog in sorted({q["catalog"] for q in queries}):
        some = [q for q in queries if q["catalog"] == catalog]
        members = sorted({g for q in some for g in q["gold"]})
        columns = vectors[torch.tensor(members, device=vectors.device)]
        asked = encoder.encode([q["query"] for q in some], QUERY_PIECES)
        for start in range(0, len(some), 2048):
            top = (asked[start:start + 2048] @ columns.T).topk(min(depth, len(members)), dim=1)
            indexes, values = top.indices.tolist(), top.values.tolist()
            for row, query in enumerate(some[start:start + 2048]):
                best = max(float(asked[start + row] @ vectors[g]) for g in query["gold"])
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


def fine_tune(encoder, tools, queries, epochs=5, size=192, rate=5e-5, cap=4000, text_cap=1500, negatives=2, seed=7):
    """Contrastive training with in-batch and mined negatives, from the original weights.

    No catalog gives more than `cap` queries and `text_cap` of its own sentences an epoch.
    """
    random.seed(seed)
    torch.manual_seed(seed)
    encoder.model.load_state_dict(encoder.start)
    texts, bare = [teacher_text(t) for t in tools], [bare_text(t) for t in tools]
    by_catalog = {}
    for query in queries + text_pairs(tools):
        by_catalog.setdefault(query["catalog"], []).append(query)
    caps = {c: text_cap if c.startswith("text/") else cap for c in by_catalog}
    steps = sum(min(len(v), caps[c]) for c, v in by_catalog.items()) * epochs // size
    optimizer = torch.optim.AdamW(encoder.model.parameters(), lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=steps + epochs * len(by_catalog), pct_start=0.1)
    for epoch in range(epochs):
        encoder.model.train()
        rows = [q for c, some in by_catalog.items() for q in random.sample(some, min(len(some), caps[c]))]
        # Batches of one catalog: the negatives are then the ones that a search in that catalog meets.
        random.shuffle(rows)
        rows.sort(key=lambda q: q["catalog"])
        batches = [rows[i:i + size] for i in range(0, len(rows), size)]
        random.shuffle(batches)
        total = 0.0
        for batch in batches:
            gold = [random.choice(q["gold"]) for q in batch]
            extra = [n for q in batch for n in random.sample(q.get("negatives", []), min(negatives, len(q.get("negatives", []))))]
            columns = list(dict.fromkeys(gold + extra))
            place = {c: i for i, c in enumerate(columns)}
            shown = bare if batch[0]["catalog"].startswith("text/") else texts
            asked = encoder.vectors([q["query"] for q in batch], QUERY_PIECES)
            logits = asked @ encoder.vectors([shown[c] for c in columns], TOOL_PIECES).T / 0.05
            for row, query in enumerate(batch):
                for other in query["gold"]:
                    if other != gold[row] and other in place:
                        logits[row, place[other]] = -1e4
            loss = torch.nn.functional.cross_entropy(logits, torch.tensor([place[g] for g in gold], device=logits.device))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(encoder.model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        print(f"epoch {epoch + 1}: loss {total / len(batches):.3f} over {len(batches)} batches", flush=True)
    return {k: v.clone() for k, v in encoder.model.state_dict().items()}


def average(runs):
    """The mean of several runs' weights (Wortsman et al., "Model soups", 2022)."""
    return {k: sum(run[k] for run in runs) / len(runs) if v.is_floating_point() else v for k, v in runs[0].items()}
