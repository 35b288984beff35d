"""The student: one static vector a piece, summed. It learns to give a text the vector that the teacher gives it.

A piece's vector is `scale * (W · start) + change`: `start` is the teacher's vector of the piece alone, `W` one map for all
pieces, so that a piece that training never shows moves with the others; `change` is held small.
"""

import collections
import random

import torch

from pieces import pieces, runs

DIMENSIONS = 256
FIELDS = ("name", "server", "description", "parameters", "details")


def build_vocabulary(bert_pieces, texts, foreign, size=36_000):
    """English pieces of the teacher's vocabulary that may turn up, frequent words of the texts, and words of other languages."""
    counts = collections.Counter(run for text in texts for run in set(runs(text)))
    plain = [p for p in bert_pieces if p.removeprefix("##").isascii() and p.removeprefix("##").isalpha()]
    kept = dict.fromkeys(p for p in plain if p.startswith("##") or len(p) == 1)
    words = [p for p in plain if not p.startswith("##") and len(p) > 1]
    rank = {p: i for i, p in enumerate(words)}
    kept.update(dict.fromkeys(w for w in words if counts[w] > 0 or rank[w] < 12_000))
    fresh = [w for w, n in counts.most_common() if n >= 3 and w not in kept and not w.isdigit() and len(w) <= 24]
    kept.update(dict.fromkeys(fresh[:5_000]))
    for word, _ in foreign.most_common():
        if len(kept) >= size:
            break
        kept.setdefault(word)
    for word in words:
        if len(kept) >= size:
            break
        kept.setdefault(word)
    return list(kept)


class Student(torch.nn.Module):
    def __init__(self, start, frequency, projection):
        super().__init__()
        count = start.shape[0]
        self.register_buffer("start", start)
        self.register_buffer("rarity", -torch.log(frequency))
        self.map = torch.nn.Parameter(projection.clone())
        self.scale = torch.nn.Parameter(torch.zeros(count))
        self.slope = torch.nn.Parameter(torch.tensor([0.2, -1.0]))
        self.change = torch.nn.Parameter(torch.zeros(count, DIMENSIONS))
        self.fields = torch.nn.Parameter(torch.tensor([1.0, 0.3, 1.0, 0.4, 0.2]))

    def table(self):
        weight = torch.nn.functional.softplus(self.slope[0] * self.rarity + self.slope[1] + self.scale)
        return weight.unsqueeze(1) * (self.start @ self.map) + self.change

    def forward(self, table, bags):
        ids, offsets, weights, kinds = bags
        factor = torch.cat([self.fields.abs(), torch.ones(1, device=ids.device)])[kinds]
        summed = torch.nn.functional.embedding_bag(ids, table, offsets, mode="sum", per_sample_weights=weights * factor)
        return torch.nn.functional.normalize(summed, dim=-1, eps=1e-6)


class Pack:
    """Texts as weighted piece ids, flat on the device. A field's pieces weigh 1/√n, so that a long description doesn't drown a name."""

    PLAIN = len(FIELDS)

    def __init__(self, vocabulary, items, device="cuda"):
        known = {p: i for i, p in enumerate(vocabulary)}
        memo = {}

        def ids_of(text):
            if text not in memo:
                memo[text] = [known[p] for p in pieces(text, known)]
            return memo[text]

        ids, weights, kinds, starts, lengths = [], [], [], [], []
        for item in items:
            starts.append(len(ids))
            fields = [(self.PLAIN, item)] if isinstance(item, str) else [(k, item[f]) for k, f in enumerate(FIELDS)]
            for kind, text in fields:
                found = ids_of(text)
                ids.extend(found)
                weights.extend([1.0 if kind == self.PLAIN else max(1, len(found)) ** -0.5] * len(found))
                kinds.extend([kind] * len(found))
            lengths.append(len(ids) - starts[-1])
        self.ids = torch.tensor(ids, device=device)
        self.weights = torch.tensor(weights, device=device)
        self.kinds = torch.tensor(kinds, device=device)
        self.starts = torch.tensor(starts, device=device)
        self.lengths = torch.tensor(lengths, device=device)

    def rows(self, indexes, drop=0.0):
        indexes = torch.as_tensor(indexes, device=self.ids.device)
        lengths = self.lengths[indexes]
        offsets = torch.cumsum(lengths, 0) - lengths
        place = torch.arange(int(lengths.sum()), device=self.ids.device) + torch.repeat_interleave(self.starts[indexes] - offsets, lengths)
        weights = self.weights[place]
        if drop:
            weights = weights * (torch.rand_like(weights) >= drop)
        return self.ids[place], offsets, weights, self.kinds[place]


def code_switch(text, forms, share=0.9):
    """A text with its words replaced by another language's, where the lexicon has them."""
    out, changed = [], 0
    for word in text.split():
        bare = word.strip(".,?!:;\"'()").lower()
        options = forms.get(bare) or forms.get(bare.rstrip("s")) or forms.get(bare.removesuffix("ing")) or forms.get(bare.removesuffix("ed"))
        if options and random.random() < share:
            out.append(random.choice(options))
            changed += 1
        else:
            out.append(word)
    return " ".join(out) if changed else None


def train(student, pack, targets, groups, pairs, epochs=30, rate=2e-2, size=4096, hold=2e-3, relation=2.0, contrast=1.0, seed=7, log=30):
    """Match the teacher's vectors text by text, and its similarities between requests and tools catalog by catalog.

    `targets`: the teacher's vector of each packed text. `groups`, `pairs`: see `Lesson`.
    """
    random.seed(seed)
    torch.manual_seed(seed)
    device = targets.device
    texts = torch.arange(len(targets))
    groups = [(torch.tensor(d), torch.tensor(a)) for d, a in groups]
    shares = [len(a) ** 0.5 for _, a in groups]
    pairs = [torch.tensor(p) for p in pairs]
    pair_shares = [len(p) ** 0.5 for p in pairs]
    optimizer = torch.optim.Adam([
        {"params": [student.change], "lr": rate},
        {"params": [student.scale, student.slope, student.fields], "lr": rate},
        {"params": [student.map], "lr": rate / 10},
    ])
    steps = epochs * ((len(texts) + size - 1) // size)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)

    for epoch in range(epochs):
        order = texts[torch.randperm(len(texts))]
        total = 0.0
        for start in range(0, len(order), size):
            chunk = order[start:start + size].to(device)
            table = student.table()
            loss = (1 - (student(table, pack.rows(chunk, drop=0.1)) * targets[chunk]).sum(1)).mean()
            if relation:
                docs, some = random.choices(groups, shares)[0]
                d = docs[torch.randperm(len(docs))[:2048]].to(device)
                a = some[torch.randperm(len(some))[:1024]].to(device)
                mine = student(table, pack.rows(a, drop=0.1)) @ student(table, pack.rows(d)).T
                theirs = targets[a] @ targets[d].T
                loss = loss + relation * torch.nn.functional.kl_div(
                    torch.log_softmax(mine / 0.05, 1), torch.softmax(theirs / 0.05, 1), reduction="batchmean")
            if contrast:
                some = random.choices(pairs, pair_shares)[0]
                some = some[torch.randperm(len(some))[:768]].to(device)
                q = student(table, pack.rows(some[:, 0], drop=0.1))
                t = student(table, pack.rows(some[:, 1]))
                same = some[:, 1].unsqueeze(0) == some[:, 1].unsqueeze(1)
                logits = (q @ t.T / 0.05).masked_fill(same & ~torch.eye(len(some), dtype=torch.bool, device=device), -1e4)
                loss = loss + contrast * torch.nn.functional.cross_entropy(logits, torch.arange(len(some), device=device))
            loss = loss + hold * student.change.pow(2).sum(1).mean() + hold * student.scale.pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        if log and (epoch + 1) % log == 0:
            print(f"  epoch {epoch + 1}: loss {total * size / len(order):.4f}", flush=True)


@torch.no_grad()
def encode(student, pack, rows, size=8192):
    table = student.table()
    return torch.cat([student(table, pack.rows(rows[i:i + size])) for i in range(0, len(rows), size)])
