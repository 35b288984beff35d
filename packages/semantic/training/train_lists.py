"""Trains reranker and static model from lists: `python3 train_lists.py FOLDER OUT --stage fold|full [--recipe lists|plain] [--minutes 9]`.

README.md says what FOLDER has. A model that reads request and tool together (the pair teacher) is trained first; the reranker's model
learns from its scores beside the labels, and the static model from the reranker's vectors. How many steps each takes follows from how fast the
first ones are, so that a run ends in time. `plain` is the recipe without lists and teacher, to compare with.
"""

import argparse
import gzip
import json
import math
import multiprocessing
import os
import pickle
import random
import sys
import time

import numpy
import torch
from torch.nn import functional

import bert
import student as static
from data import load_lexicon
from lesson import Lesson
from lists import VIEWS, epoch_batches, learning_rows, view_texts, wrong_tools
from model_file import write

HERE = os.path.dirname(os.path.abspath(__file__))
ASKED, SHOWN = 96, 160  # pieces of a request and of a tool
PAIR_ASKED, PAIR_SHOWN = 64, 128
SCORED = 12  # tools of each request that the pair teacher scores
SHOWN_WRONG = 4  # of those, in a step
DOUBT = 1.0
HEAT = 0.05
START = time.time()


def say(*words):
    print(f"[{time.time() - START:6.1f}s]", *words, flush=True)


def read(path):
    with gzip.open(path, "rt", encoding="utf8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


class Pace:
    """How many steps fit into the seconds that are left, from how long the first ones took."""

    def __init__(self, seconds, wanted, device):
        warm, measured = (8, 24) if device == "cuda" else (1, 2)
        self.seconds, self.wanted, self.device, self.warm, self.measured = seconds, wanted, device, warm, measured
        self.total, self.at, self.began = wanted, 0, time.time()

    def step(self):
        self.at += 1
        if self.at == self.warm or self.at == self.warm + self.measured:
            if self.device == "cuda":
                torch.cuda.synchronize()
            if self.at == self.warm:
                self.mark = time.time()
            else:
                each = (time.time() - self.mark) / self.measured
                left = self.seconds - (time.time() - self.began)
                self.total = max(self.at + 1, min(self.wanted, self.at + int(left / each)))
                say(f"  {each * 1000:.0f} ms a step: {self.total} steps of {self.wanted}")
        # What the first steps did not show: contention later on.
        if self.at % 50 == 0 and time.time() - self.began > self.seconds * 1.15:
            self.total = min(self.total, self.at)
        return self.at < self.total

    def share(self):
        """Of the rate: up for a tenth of the way, then down."""
        done = self.at / max(1, self.total)
        return done / 0.1 if done < 0.1 else max(0.02, 0.5 * (1 + math.cos(math.pi * (done - 0.1) / 0.9)))


def endless(make):
    while True:
        yield from make()


def optimizer_of(model, rate):
    return torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)


def advance(optimizer, model, loss, rate, pace):
    for group in optimizer.param_groups:
        group["lr"] = rate * pace.share()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def train_pairs(model, tools, rows, asked, views, catalogs, seconds, epochs, rng, device):
    """The pair teacher: one right tool among eight."""
    lists = 96 if device == "cuda" else 8
    picked = [row for row in rows if row["kind"] != "several"]
    optimizer, rate = optimizer_of(model, 8e-5), 8e-5

    def batches():
        return epoch_batches(tools, picked, lists, rng, False)

    first = batches()
    pace = Pace(seconds, int(len(first) * epochs), device)
    model.train()
    total = 0.0
    for batch in endless(lambda: batches()):
        left, right = [], []
        for row in batch:
            candidates = [rng.choice(row["gold"]), *wrong_tools(row, catalogs[row["catalog"]], rng, 5 if row["near"] else 0, 2 if row["near"] else 7)][:8]
            while len(candidates) < 8:
                candidates.append(rng.choice(catalogs[row["catalog"]]))
            left += [row["at"]] * 8
            right += candidates
        with bert.autocast(device):
            scores = model.pair_scores(*bert.take_pairs(asked, views[batch[0]["view"]], left, right)).float().view(len(batch), 8)
        loss = functional.cross_entropy(scores, torch.zeros(len(batch), dtype=torch.long, device=device))
        advance(optimizer, model, loss, rate, pace)
        total = 0.98 * total + 0.02 * loss.detach()
        if pace.at and pace.at % (100 if device == "cuda" else 2) == 0:
            say(f"  pair teacher, step {pace.at}: loss {float(total) / (1 - 0.98 ** pace.at):.3f}")
        if not pace.step():
            break
    return model


@torch.no_grad()
def score_rows(model, rows, asked, shown, catalogs, rng, device, size=4096):
    """The teacher's scores of each row's right tools and of the wrong ones that look most like them."""
    model.eval()
    left, right, spans = [], [], []
    for row in rows:
        wrong = list(dict.fromkeys(row["near"][:8] + row["siblings"][:6]))[: SCORED - 1]
        candidates = [*row["gold"][:2], *wrong][:SCORED]
        row["scored"] = candidates
        spans.append((len(right), len(candidates)))
        left += [row["at"]] * len(candidates)
        right += candidates
    lefts, rights = torch.tensor(left), torch.tensor(right)
    order = torch.argsort(asked.lengths[lefts] + shown.lengths[rights])
    scores = torch.empty(len(order), device=device)
    for start in range(0, len(order), size):
        chunk = order[start:start + size]
        with bert.autocast(device):
            scores[chunk.to(device)] = model.pair_scores(*bert.take_pairs(asked, shown, lefts[chunk], rights[chunk])).float()
    scores = scores.cpu().tolist()
    right_first = 0
    for row, (start, count) in zip(rows, spans):
        row["scores"] = scores[start:start + count]
        # It teaches only what it knows.
        row["isTaught"] = row["scored"][max(range(count), key=row["scores"].__getitem__)] in row["gold"]
        right_first += row["isTaught"]
    say(f"  {len(order)} pairs scored; the right tool first in {100 * right_first / max(1, len(rows)):.1f} % of {len(rows)} lists")


def train_vectors(model, tools, rows, asked, views, catalogs, seconds, epochs, rng, device, is_old, teaching, rate):
    """The reranker's model: right tools against all others of the batch, and the pair teacher's scores."""
    size = 192 if device == "cuda" else 12
    optimizer = optimizer_of(model, rate)
    first = epoch_batches(tools, rows, size, rng, is_old)
    say(f"  {len(first)} batches an epoch")
    pace = Pace(seconds, int(len(first) * epochs), device)
    model.train()
    total = 0.0
    for batch in endless(lambda: epoch_batches(tools, rows, size, rng, is_old)):
        gold = [rng.choice(row["gold"]) for row in batch]
        extra = []
        for row, right in zip(batch, gold):
            if is_old:
                extra.append(rng.sample(row["near"][:20], min(2, len(row["near"][:20]))))
            elif "scores" in row:
                # What the teacher finds clearly better than the answer may be one that nobody wrote down.
                scores = dict(zip(row["scored"], row["scores"]))
                others = [c for c in row["scored"] if c != right and scores[c] < scores.get(right, 0) + DOUBT]
                extra.append(rng.sample(others, min(SHOWN_WRONG, len(others))))
            else:
                extra.append(wrong_tools(row, catalogs[row["catalog"]], rng, 0, 1) if row["kind"] == "sentence" and row["siblings"] else [])
        columns = list(dict.fromkeys(gold + [e for some in extra for e in some]))
        place = {c: i for i, c in enumerate(columns)}
        asks = bert.vectors(model, asked, [row["at"] for row in batch])
        logits = asks @ bert.vectors(model, views[batch[0]["view"]], columns).T / HEAT
        hidden = [(at, place[other]) for at, row in enumerate(batch) for other in row["gold"] if other != gold[at] and other in place]
        seen = logits
        if hidden:
            seen = logits.index_put(tuple(torch.tensor(hidden, device=device).T), torch.tensor(-1e4, device=device))
        loss = functional.cross_entropy(seen, torch.tensor([place[g] for g in gold], device=device))
        taught = [at for at, row in enumerate(batch) if row.get("isTaught") and len(extra[at]) == SHOWN_WRONG and gold[at] in row["scored"]]
        if teaching and taught:
            shown = torch.tensor([[place[gold[at]], *(place[e] for e in extra[at])] for at in taught], device=device)
            known = [dict(zip(batch[at]["scored"], batch[at]["scores"])) for at in taught]
            theirs = torch.tensor([[one[gold[at]], *(one[e] for e in extra[at])] for one, at in zip(known, taught)], device=device)
            mine = logits[torch.tensor(taught, device=device)].gather(1, shown)
            loss = loss + teaching * functional.kl_div(mine.log_softmax(1), theirs.softmax(1), reduction="batchmean")
        advance(optimizer, model, loss, rate, pace)
        total = 0.98 * total + 0.02 * loss.detach()
        if pace.at and pace.at % (200 if device == "cuda" else 2) == 0:
            say(f"  vectors, step {pace.at}: loss {float(total) / (1 - 0.98 ** pace.at):.3f}")
        if not pace.step():
            break
    return model


def figures(title, tools, queries, tool_vectors, query_vectors):
    """hit@1, hit@5 and recall@5 of held-out requests for each catalog and each kind of request."""
    members = {}
    for at, tool in enumerate(tools):
        members.setdefault(tool["catalog"], []).append(at)
    results = {}
    for catalog in sorted({q["catalog"] for q in queries}):
        mine = [at for at, q in enumerate(queries) if q["catalog"] == catalog]
        columns = members[catalog]
        shown = tool_vectors[torch.tensor(columns, device=tool_vectors.device)]
        for start in range(0, len(mine), 2048):
            chunk = mine[start:start + 2048]
            top = (query_vectors[torch.tensor(chunk, device=shown.device)] @ shown.T).topk(5, dim=1).indices.tolist()
            for at, best in zip(chunk, top):
                query, gold = queries[at], set(queries[at]["gold"])
                hits = [columns[b] in gold for b in best]
                value = (hits[0], any(hits), sum(hits) / len(gold))
                language = query.get("language", "en") == "en"
                group = catalog if language else catalog + "/other languages"
                if query["part"] == "contrast":
                    results.setdefault(("kind", "contrast"), []).append(value)
                    continue
                results.setdefault(("catalog", group), []).append(value)
                if language:
                    results.setdefault(("kind", query["part"] if catalog.split("-")[0] in ("services", "vendors", "market", "mcp") else "public"), []).append(value)
    mean = {key: [100 * sum(v[i] for v in values) / len(values) for i in range(3)] for key, values in results.items()}
    say(f"== {title}: hit@1 / hit@5 / recall@5")
    for sort in ("catalog", "kind"):
        say("   " + ", ".join(f"{name} {a:.1f}/{b:.1f}/{c:.1f}" for (kind, name), (a, b, c) in sorted(mean.items()) if kind == sort))
    macro = numpy.mean([value for (kind, name), value in mean.items() if kind == "catalog" and "/" not in name], axis=0)
    say(f"   macro over catalogs {macro[0]:.2f} / {macro[1]:.2f} / {macro[2]:.2f}")
    return {f"{kind}:{name}": value for (kind, name), value in mean.items()}


def only_few(tools, queries, mined, catalogs=("metatool", "market-b", "mcp-zero-308-servers"), most=30):
    """A few tools and requests of some catalogs, to try the script."""
    kept = [at for c in catalogs for at in [i for i, t in enumerate(tools) if t["catalog"] == c][:most]]
    new = {old: at for at, old in enumerate(kept)}
    few, near = [], []
    for query, row in zip(queries, mined):
        if all(g in new for g in query["gold"]) and (query["catalog"] != "metatool" or query["at"] % 20 == 0):
            few.append({**query, "gold": [new[g] for g in query["gold"]], "at": len(few)})
            near.append([new[n] for n in row if n in new])
    return [tools[at] for at in kept], few, near


class Vocabulary:
    def __init__(self, known):
        self.known = known

    def get_vocab(self):
        return self.known


class Encoder:
    """What `lesson.py` asks of a teacher."""

    def __init__(self, model, pieces, device):
        self.model, self.pieces, self.device, self.tokenizer = model, pieces, device, Vocabulary(pieces.vocabulary)

    def encode(self, texts):
        return bert.encode(self.model, bert.Texts(self.pieces, texts, SHOWN, self.device))


def build_lesson(tools, learn, several, lexicon, glosses, asked, known, path):
    """In a process of its own, while the other models train: splitting half a million texts takes a while."""
    lesson = Lesson(tools, learn, several, lexicon, glosses)
    english = [text for text, meaning in zip(lesson.items, lesson.meanings) if isinstance(text, str) and text is meaning]
    vocabulary = static.build_vocabulary(sorted(known, key=known.get), english, lesson.foreign)
    pack = static.Pack(vocabulary, lesson.items + asked, device="cpu")
    with open(path + ".tmp", "wb") as file:
        pickle.dump((lesson, vocabulary, pack), file, protocol=4)
    os.replace(path + ".tmp", path)


def train_static(encoder, path, tools, held, seconds, out, device, stage):
    from lesson import start_texts

    with open(path, "rb") as file:
        lesson, vocabulary, pack = pickle.load(file)
    for name in ("ids", "weights", "kinds", "starts", "lengths"):
        setattr(pack, name, getattr(pack, name).to(device))
    count = len(lesson.items)
    end = int(pack.starts[count]) if len(held) else len(pack.ids)
    counts = torch.bincount(pack.ids[:end], minlength=len(vocabulary)).float() + 1.0
    starts = encoder.encode(start_texts(vocabulary, encoder.tokenizer.get_vocab(), lesson.lexicon))
    targets = encoder.encode(lesson.meanings)
    _, _, axes = torch.linalg.svd(targets[torch.randperm(len(targets))[:40000]], full_matrices=False)
    projection = axes[: static.DIMENSIONS].T.contiguous()
    targets = functional.normalize(targets @ projection, dim=-1)
    say(f"static model: {count} texts, {len(vocabulary)} pieces")
    net = static.Student(starts, counts / counts.sum(), projection).to(device)
    groups, pairs = list(lesson.groups.values()), list(lesson.pairs.values())
    steps = (len(targets) + 4095) // 4096
    # One epoch on a copy tells how many there is time for.
    probe = static.Student(starts, counts / counts.sum(), projection).to(device)
    began = time.time()
    static.train(probe, pack, targets, groups, pairs, epochs=1, log=0)
    each = time.time() - began
    epochs = max(1, min(30, int((seconds - each) / each)))
    say(f"  {each:.1f} s an epoch of {steps} steps: {epochs} epochs")
    static.train(net, pack, targets, groups, pairs, epochs=epochs, log=10)
    if len(held):
        rows = static.encode(net, pack, list(range(count, count + len(held))))
        figures(f"{stage}: static model", tools, held, static.encode(net, pack, lesson.docs), rows)
    fields = dict(zip(static.FIELDS, [round(f, 4) for f in net.fields.abs().tolist()]))
    file = os.path.join(out, f"{stage}-tools-static.bin")
    write({"modelId": "tools-static-v6", "dimensions": static.DIMENSIONS, "fields": fields}, vocabulary, net.table().detach().cpu().numpy(), file)
    say(f"{file}: {os.path.getsize(file)} bytes")


def begin(model, given):
    if given.start == "shipped":
        bert.load_shipped(model, os.path.join(given.folder, "shipped.npz"))
    else:
        names = [os.path.join(given.folder, name) for name in ("start.npz", "model.fp16.safetensors")]
        bert.load_start(model, next(name for name in names if os.path.exists(name)))


def read_apart(folder):
    """Tools and requests that nothing learns from, where the folder has some: `apart-tools.jsonl.gz`, `apart-queries.jsonl.gz`."""
    if not os.path.exists(os.path.join(folder, "apart-tools.jsonl.gz")):
        return [], []
    return read(os.path.join(folder, "apart-tools.jsonl.gz")), read(os.path.join(folder, "apart-queries.jsonl.gz"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--stage", default="fold", choices=("fold", "full"))
    parser.add_argument("--recipe", default="lists", choices=("lists", "plain"))
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--start", default="minilm", choices=("minilm", "shipped"), help="the weights that training goes on from")
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--teaching", type=float, default=1.0)
    parser.add_argument("--tiny", action="store_true", help="a few hundred rows, to try the script")
    parser.add_argument("--no-static", action="store_true")
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda":
        torch.set_float32_matmul_precision("high")
        # It plans anew for every shape of a batch, which took nine tenths of the time.
        if hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
            torch.backends.cuda.enable_cudnn_sdp(False)
    end = START + given.minutes * 60
    is_old = given.recipe == "plain"
    rng = random.Random(given.seed)
    torch.manual_seed(given.seed)
    os.makedirs(given.out, exist_ok=True)
    tools = read(os.path.join(given.folder, "tools.jsonl.gz"))
    queries = read(os.path.join(given.folder, "queries.jsonl.gz"))
    mined = numpy.fromfile(os.path.join(given.folder, "mined.bin"), dtype=numpy.uint16).reshape(len(queries), -1)
    mined = [[int(n) for n in row if n != 65535] for row in mined]
    for at, query in enumerate(queries):
        query["at"] = at
    if given.tiny:
        tools, queries, mined = only_few(tools, queries, mined)
    learn = [q for q in queries if given.stage == "full" or q["split"] == "train"]
    apart = read_apart(given.folder)
    held = [] if given.stage == "full" else [q for q in queries if q["split"] == "held"]
    held_servers = {(tools[q["gold"][0]]["catalog"], tools[q["gold"][0]]["server"]) for q in held}
    held_tools = {g for q in held for g in q["gold"]}
    learn_text = [i for i, t in enumerate(tools) if not ((t["server"] and (t["catalog"], t["server"]) in held_servers and t["catalog"] not in ("seal_tools", "bfcl_pooled", "metatool")) or i in held_tools)]
    from contrast import contrast_requests
    from lists import CONTRASTED

    if held:
        held_all = sorted(set(range(len(tools))) - set(learn_text))
        held = held + contrast_requests(tools, [i for i in held_all if tools[i]["catalog"].split("-")[0] in CONTRASTED], 17, 1)
    rows = learning_rows(tools, learn, learn_text, mined, is_old, given.seed)
    for at, row in enumerate(rows):
        row["at"] = at
    counts = {kind: sum(row["kind"] == kind for row in rows) for kind in ("ask", "several", "sentence", "contrast")}
    say(f"{device}, torch {torch.__version__}; {len(tools)} tools, {len(rows)} rows {counts}, {len(held)} held out")
    lesson_path = os.path.join("/tmp", f"lesson-{given.stage}-{os.getpid()}.pickle")
    pieces = bert.WordPieces(os.path.join(given.folder, "tokenizer.json"))
    builder = None
    if not is_old and not given.no_static:
        glosses = gzip.open(os.path.join(given.folder, "glosses.txt.gz"), "rt", encoding="utf8").read().split("\n")
        lexicon = load_lexicon(os.path.join(given.folder, "lexicon"))
        contrast = [dict(row, part="contrast") for row in rows if row["kind"] == "contrast"]
        several = [row for row in rows if row["kind"] == "several"]
        keep = [{k: r[k] for k in ("catalog", "query", "gold")} for r in several]
        own = [{k: r.get(k) for k in ("catalog", "query", "gold", "english", "language")} for r in learn]
        own += [{"catalog": r["catalog"], "query": r["query"], "gold": r["gold"], "english": None, "language": "en"} for r in contrast]
        if given.tiny:
            glosses, lexicon = glosses[:500], lexicon[:200]
        builder = multiprocessing.get_context("fork").Process(
            target=build_lesson, args=(tools, own, keep, lexicon, glosses, [q["query"] for q in held], pieces.vocabulary, lesson_path))
        builder.start()
    texts = view_texts(tools)
    views = {view: bert.Texts(pieces, texts[view], SHOWN, device) for view in VIEWS}
    asked = bert.Texts(pieces, [row["query"] for row in rows], ASKED, device)
    held_asked = bert.Texts(pieces, [q.get("english") or q["query"] for q in held] or ["."], ASKED, device)
    catalogs = {}
    for index in learn_text:
        catalogs.setdefault(tools[index]["catalog"], []).append(index)
    for row in rows:
        catalogs.setdefault(row["catalog"], list(row["gold"]))
    say("texts are read")

    apart_tools, apart_queries = apart
    apart_views = bert.Texts(pieces, view_texts(apart_tools)["whole"] or ["."], SHOWN, device)
    apart_asked = bert.Texts(pieces, [q["query"] for q in apart_queries] or ["."], ASKED, device)

    def measured(title, model):
        found = {}
        if apart_queries:
            found = figures(title + ", requests that nothing learns from", apart_tools, apart_queries, bert.encode(model, apart_views), bert.encode(model, apart_asked))
        if held and not is_learned:
            found |= figures(title, tools, held, bert.encode(model, views["whole"]), bert.encode(model, held_asked))
        return found

    is_learned = given.start == "shipped"
    model = bert.Bert().to(device)
    begin(model, given)
    report = {"arguments": vars(given), "start": measured("at the start", model)}
    left = end - time.time()
    static_share = 0.0 if is_old or given.no_static else 0.24
    if not is_old and given.teaching:
        teacher = bert.Bert().to(device)
        begin(teacher, given)
        pair_asked = bert.Texts(pieces, [row["query"] for row in rows], PAIR_ASKED, device)
        pair_views = {view: bert.Texts(pieces, texts[view], PAIR_SHOWN, device) for view in VIEWS}
        train_pairs(teacher, tools, rows, pair_asked, pair_views, catalogs, left * 0.25, 2.0, rng, device)
        taught = [row for row in rows if row["kind"] in ("ask", "contrast")]
        score_rows(teacher, taught, pair_asked, pair_views["whole"], catalogs, rng, device)
        del pair_views, pair_asked, teacher
    left = end - time.time()
    reserve = static_share * given.minutes * 60 + (35 if device == "cuda" and not given.tiny else 2)
    train_vectors(model, tools, rows, asked, views, catalogs, max(5, left - reserve), 5.0 if is_old else 6.0, rng, device, is_old, given.teaching, given.rate)
    model.eval()
    report["vectors"] = measured(f"{given.stage}, {given.recipe}: reranker's vectors", model)
    bert.save_bytes(model, given.out, f"{given.stage}-{given.recipe}-{given.seed}")
    with open(os.path.join(given.out, f"{given.stage}-{given.recipe}-{given.seed}.json"), "w", encoding="utf8") as file:
        json.dump(report, file)
    say("weights are saved")
    if builder is not None:
        builder.join()
        train_static(Encoder(model, pieces, device), lesson_path, tools, held, max(5, end - time.time() - 12), given.out, device, given.stage)
    say("done")


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    main()
