"""A BERT encoder in plain PyTorch, with the weights of all-MiniLM-L6-v2: texts in, one unit vector each out; or pairs in, one score each out.

Plain, so that a run needs PyTorch alone and nothing depends on how a library changes.
"""

import contextlib
import json
import os
import struct

import numpy
import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, LAYERS, INNER, POSITIONS, EPSILON = 384, 12, 6, 1536, 512, 1e-12
PIECES = 30522
CLS, SEP = 101, 102
STEP = 16  # lengths of batches are multiples of this
ATTEND = getattr(functional, "scaled_dot_product_attention", None)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.first = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.second = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.drop = nn.Dropout(0.1)

    def forward(self, states, mask):
        count, length, _ = states.shape
        q, k, v = self.qkv(states).view(count, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        if ATTEND is None:
            weights = (q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5).masked_fill(~mask, -1e4).softmax(-1)
            mixed = weights @ v
        else:
            mixed = ATTEND(q, k, v, attn_mask=mask)
        states = self.first(states + self.drop(self.out(mixed.transpose(1, 2).reshape(count, length, WIDTH))))
        return self.second(states + self.drop(self.down(functional.gelu(self.up(states)))))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(PIECES, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.kinds = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.drop = nn.Dropout(0.1)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.score = nn.Linear(WIDTH, 1)  # for pairs alone

    def states(self, ids, lengths, kinds=None):
        places = torch.arange(ids.shape[1], device=ids.device)
        mask = places[None] < lengths[:, None]
        kinds = torch.zeros_like(ids) if kinds is None else kinds
        states = self.drop(self.norm(self.words(ids) + self.positions(places)[None] + self.kinds(kinds)))
        for layer in self.layers:
            states = layer(states, mask[:, None, None, :])
        return states, mask

    def pooled(self, ids, lengths, kinds=None):
        states, mask = self.states(ids, lengths, kinds)
        mask = mask.unsqueeze(-1).float()
        return (states.float() * mask).sum(1) / mask.sum(1).clamp(min=1)

    def forward(self, ids, lengths):
        return functional.normalize(self.pooled(ids, lengths), dim=-1)

    def pair_scores(self, ids, lengths, kinds):
        return self.score(self.pooled(ids, lengths, kinds)).squeeze(-1)


def autocast(device):
    return torch.autocast("cuda", dtype=torch.bfloat16) if device == "cuda" else contextlib.nullcontext()


def read_safetensors(path):
    """The tensors of a safetensors file; half floats and floats alone."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        head = json.loads(file.read(size))
        body = file.read()
    kinds = {"F16": numpy.float16, "F32": numpy.float32}
    return {
        name: torch.from_numpy(numpy.frombuffer(body[one["data_offsets"][0]:one["data_offsets"][1]], dtype=kinds[one["dtype"]]).astype(numpy.float32).reshape(one["shape"]))
        for name, one in head.items() if name != "__metadata__" and one["dtype"] in kinds
    }


def load_start(model, path):
    """Hugging Face's names to ours. A file of bytes has its tables as `.bytes` and `.scales`."""
    if path.endswith(".npz"):
        packed = numpy.load(path)
        names = {name.removesuffix(".bytes") for name in packed.files if not name.endswith(".scales")}
        raw = {
            name: torch.from_numpy((packed[name + ".bytes"].astype(numpy.float32) * packed[name + ".scales"].astype(numpy.float32)) if name + ".bytes" in packed.files else packed[name].astype(numpy.float32))
            for name in names
        }
    else:
        raw = read_safetensors(path)
    raw = {name.removeprefix("bert."): value for name, value in raw.items()}
    with torch.no_grad():
        for ours, theirs in (("words", "word_embeddings"), ("positions", "position_embeddings"), ("kinds", "token_type_embeddings")):
            getattr(model, ours).weight.copy_(raw[f"embeddings.{theirs}.weight"])
        copy_pair(model.norm, raw, "embeddings.LayerNorm")
        for at, layer in enumerate(model.layers):
            head = f"encoder.layer.{at}."
            for kind in ("weight", "bias"):
                parts = [raw[f"{head}attention.self.{part}.{kind}"] for part in ("query", "key", "value")]
                getattr(layer.qkv, kind).copy_(torch.cat(parts))
            for ours, theirs in (("out", "attention.output.dense"), ("first", "attention.output.LayerNorm"), ("up", "intermediate.dense"), ("down", "output.dense"), ("second", "output.LayerNorm")):
                copy_pair(getattr(layer, ours), raw, head + theirs)


def load_shipped(model, path):
    """The weights of the reranker that ships, as `unpack_onnx.py` wrote them: by our own names."""
    packed = numpy.load(path)
    state = model.state_dict()
    for name in packed.files:
        if name.endswith(".scales"):
            continue
        plain = name.removesuffix(".bytes")
        values = packed[name].astype(numpy.float32)
        state[plain] = torch.from_numpy(values * packed[plain + ".scales"] if name.endswith(".bytes") else values)
    model.load_state_dict(state)


def copy_pair(module, raw, name):
    module.weight.copy_(raw[name + ".weight"])
    module.bias.copy_(raw[name + ".bias"])


class WordPieces:
    """Text to ids: the `tokenizers` library where it is installed, else the same in Python."""

    def __init__(self, path):
        try:
            from tokenizers import Tokenizer

            self.fast = Tokenizer.from_file(path)
            self.fast.no_truncation()
            self.fast.no_padding()
        except ImportError:
            self.fast = None
        with open(path, encoding="utf8") as file:
            self.vocabulary = json.load(file)["model"]["vocab"]
        self.memo = {}

    def ids(self, texts, length):
        """Pieces without the marks at the ends, `length` at the most."""
        if self.fast is not None:
            return [one.ids[:length] for one in self.fast.encode_batch(texts, add_special_tokens=False)]
        return [self.slow(text)[:length] for text in texts]

    def slow(self, text):
        import re
        import unicodedata

        text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
        found = []
        for word in re.findall(r"\w+|[^\w\s]", text.replace("_", " _ ")):
            if word not in self.memo:
                self.memo[word] = self.split(word)
            found.extend(self.memo[word])
        return found

    def split(self, word):
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                if piece in self.vocabulary:
                    found.append(self.vocabulary[piece])
                    start = end
                    break
            else:
                return [100]
        return found


class Texts:
    """Texts as ids on the device: read once, taken many times."""

    def __init__(self, pieces, texts, length, device):
        encoded = pieces.ids([text or "." for text in texts], length - 2)
        lengths = torch.tensor([len(ids) for ids in encoded])
        flat = numpy.concatenate([numpy.array(ids, dtype=numpy.int32) for ids in encoded]) if len(encoded) else numpy.zeros(0, dtype=numpy.int32)
        longest = int(lengths.max()) if len(encoded) else 1
        rows = torch.zeros(len(encoded), -(-(longest + 2) // STEP) * STEP - 2, dtype=torch.int32)
        rows[torch.arange(rows.shape[1])[None] < lengths[:, None]] = torch.from_numpy(flat)
        self.bare, self.lengths, self.device = rows.to(device), lengths, device

    def __len__(self):
        return len(self.lengths)

    def take(self, rows):
        """Ids with the marks at the ends, and their lengths."""
        rows = torch.as_tensor(rows)
        lengths = self.lengths[rows]
        # Few different lengths: a GPU prepares anew for each shape that it has not seen.
        longest = min(self.bare.shape[1], -(-(int(lengths.max()) + 2) // STEP) * STEP - 2)
        lengths = lengths.to(self.device)
        bare = self.bare[rows.to(self.device), :longest].long()
        ids = functional.pad(bare, (1, 1))
        ids[:, 0] = CLS
        ids.scatter_(1, (lengths + 1)[:, None], SEP)
        return ids, lengths + 2


def take_pairs(asked, tools, left, right):
    """Request and tool as one text each: ids, lengths and which part each piece is of."""
    left, right = torch.as_tensor(left), torch.as_tensor(right)
    first, second = asked.lengths[left], tools.lengths[right]
    total = -(-(int((first + second).max()) + 3) // STEP) * STEP
    device = asked.device
    first, second = first.to(device), second.to(device)
    places = torch.arange(total, device=device)[None]
    a = asked.bare[left.to(device)].long()
    b = tools.bare[right.to(device)].long()
    ids = torch.zeros(len(left), total, dtype=torch.long, device=device)
    in_first = (places >= 1) & (places <= first[:, None])
    in_second = (places >= first[:, None] + 2) & (places < first[:, None] + 2 + second[:, None])
    ids = torch.where(in_first, a.gather(1, (places - 1).clamp(0, a.shape[1] - 1).expand(len(left), -1)), ids)
    ids = torch.where(in_second, b.gather(1, (places - first[:, None] - 2).clamp(0, b.shape[1] - 1)), ids)
    ids[:, 0] = CLS
    ids.scatter_(1, (first + 1)[:, None], SEP)
    ids.scatter_(1, (first + second + 2)[:, None], SEP)
    return ids, first + second + 3, (places > first[:, None] + 1).long()


def encode(model, texts, rows=None, size=2048):
    """Vectors of many texts, without gradients."""
    rows = torch.arange(len(texts)) if rows is None else torch.as_tensor(rows)
    model.eval()
    found = torch.empty(len(rows), WIDTH, device=texts.device)
    order = torch.argsort(texts.lengths[rows])
    with torch.no_grad(), autocast(texts.device):
        for start in range(0, len(order), size):
            chunk = order[start:start + size]
            found[chunk.to(texts.device)] = model(*texts.take(rows[chunk])).float()
    return found


def vectors(model, texts, rows, chunks=4):
    """With gradients; in chunks of texts that are about as long, so that little is padding."""
    rows = torch.as_tensor(rows)
    order = torch.argsort(texts.lengths[rows])
    parts = [part for part in order.chunk(chunks if len(rows) > 64 else 1) if len(part)]
    with autocast(texts.device):
        done = torch.cat([model(*texts.take(rows[part])).float() for part in parts])
    return done[torch.argsort(torch.cat(parts)).to(texts.device)]


def save_bytes(model, folder, name, most=15 * 1024 * 1024):
    """The weights as the reranker's file has them, a byte each and a scale for each row; what is small as floats. In parts of `most` bytes at the most."""
    blob, head = bytearray(), {}

    def add(key, data):
        head[key] = {"shape": list(data.shape), "type": str(data.dtype), "at": len(blob)}
        blob.extend(data.tobytes())

    for key, value in model.state_dict().items():
        data = value.detach().float().cpu().numpy()
        if data.ndim == 2 and data.size > 100_000 and "positions" not in key:
            scales = numpy.maximum(numpy.abs(data).max(axis=1, keepdims=True), 1e-12).astype(numpy.float32) / 127
            add(key + ".scales", scales)
            add(key + ".bytes", numpy.round(data / scales).astype(numpy.int8))
        else:
            add(key, data)
    packed = json.dumps(head).encode()
    whole = struct.pack("<Q", len(packed)) + packed + bytes(blob)
    for part, start in enumerate(range(0, len(whole), most)):
        with open(os.path.join(folder, f"{name}.part{part}"), "wb") as file:
            file.write(whole[start:start + most])
