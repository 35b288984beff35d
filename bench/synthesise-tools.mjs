// Tools for measuring: as many as wanted, the same ones every time, the size of real ones (about 1.8 kB of JSON). Words come from
// the sample catalog, the frequent ones frequent (Zipf), and a long tail of rare ones, so that posting lists look like real ones.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const services = fileURLToPath(new URL('../examples/catalog/services/', import.meta.url));

/** Tools as MCP lists them, with their server beside them, as JSON text: one string per thousand tools. */
export function synthesiseTools(count) {
  return [...streamTools(count)].map((tools) => JSON.stringify(tools));
}

/** The same tools, a thousand at a time: a million of them need not be held at once. */
export function* streamTools(count) {
  const random = createRandom(20260101);
  const words = createVocabulary(random, Math.round(4_000 + count / 4));
  const servers = Array.from({ length: Math.max(4, Math.round(count / 40)) }, () => `${words()}-${words()}`);
  const names = new Set();
  for (let start = 0; start < count; start += 1_000) {
    const tools = [];
    for (let i = start; i < Math.min(count, start + 1_000); i += 1)
      tools.push(createTool(words, random, servers, names));
    yield tools;
  }
}

/** Requests in the words of some tool: two to seven of them, some replaced by words of no tool in particular. */
export function synthesiseQueries(tools, count) {
  const random = createRandom(7);
  return Array.from({ length: count }, () => {
    const tool = tools[Math.floor(random() * tools.length)];
    const pool = `${tool.name.replaceAll('_', ' ')} ${tool.description}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [
      'list',
    ];
    const length = 2 + Math.floor(random() * 6);
    return Array.from({ length }, () => pool[Math.floor(random() * Math.min(pool.length, 30))]).join(' ');
  });
}

/** Tools of real catalogs: every JSONL file of a folder, in lines {server, tools} or one tool per line, repeated up to `count`. */
export function loadTools(folder, count, gunzip) {
  const real = readdirSync(folder)
    .filter((name) => /\.jsonl(\.gz)?$/.test(name))
    .flatMap((name) => {
      const bytes = readFileSync(`${folder}/${name}`);
      const text = String(name.endsWith('.gz') ? gunzip(bytes) : bytes);
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    })
    .flatMap((line) =>
      Array.isArray(line.tools) ? line.tools.map((tool) => ({ ...tool, server: line.server })) : [line],
    );
  if (real.length === 0) throw new Error(`${folder}: there are no tools in *.jsonl or *.jsonl.gz files`);
  const chunks = [];
  for (let start = 0; start < count; start += 1_000) {
    const tools = [];
    for (let i = start; i < Math.min(count, start + 1_000); i += 1) {
      const tool = real[i % real.length];
      const round = Math.floor(i / real.length);
      tools.push(round === 0 ? tool : { ...tool, server: `${tool.server ?? 'server'}-${round}` });
    }
    chunks.push(JSON.stringify(tools));
  }
  return chunks;
}

function createTool(words, random, servers, names) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const server = pick(servers);
  let name = `${pick(VERBS)}_${words()}_${words()}`;
  while (names.has(`${server}/${name}`)) name = `${name}_${words()}`;
  names.add(`${server}/${name}`);
  const properties = createProperties(words, random, 3 + Math.floor(random() * 5));
  const description = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
    sentence(words, 8 + Math.floor(random() * 10)),
  ).join(' ');
  const required = Object.keys(properties).slice(0, 1 + Math.floor(random() * 3));
  return {
    server,
    name,
    description,
    inputSchema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties,
      required,
      additionalProperties: false,
    },
    annotations: {
      title: `${words()} ${words()}`,
      readOnlyHint: random() < 0.5,
      destructiveHint: false,
      openWorldHint: true,
    },
  };
}

/** A fifth of them nest, as real schemas do, which spend more on structure than on prose. */
function createProperties(words, random, count, depth = 0) {
  const properties = {};
  for (let i = 0; i < count; i += 1) {
    const name = random() < 0.5 ? words() : `${words()}_${words()}`;
    const description = sentence(words, 4 + Math.floor(random() * 12));
    const kind = random();
    if (kind < 0.2 && depth < 2) {
      const inner = createProperties(words, random, 1 + Math.floor(random() * 4), depth + 1);
      properties[name] = {
        type: 'array',
        items: { type: 'object', properties: inner, required: Object.keys(inner), additionalProperties: false },
        description,
      };
    } else if (kind < 0.35) {
      properties[name] = {
        type: 'string',
        enum: Array.from({ length: 2 + Math.floor(random() * 5) }, words),
        description,
      };
    } else if (kind < 0.5) {
      properties[name] = { type: 'integer', minimum: 1, maximum: 100, default: 20, description };
    } else if (kind < 0.6) {
      properties[name] = {
        anyOf: [{ type: 'string', minLength: 1, maxLength: 255 }, { type: 'null' }],
        default: null,
        description,
      };
    } else {
      properties[name] = { type: kind < 0.7 ? 'boolean' : 'string', description };
    }
  }
  return properties;
}

function sentence(words, length) {
  const text = Array.from({ length }, (_, index) => (index % 3 === 1 ? LINKS[index % LINKS.length] : words())).join(
    ' ',
  );
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** Draws words by rank: the word at rank r comes with a probability in proportion to 1 / (r + 2.7). */
function createVocabulary(random, size) {
  const frequency = new Map();
  for (const file of readdirSync(services).sort()) {
    const texts = readFileSync(services + file, 'utf8').matchAll(/"(?:name|title|description)": "([^"]*)"/g);
    for (const [, text] of texts) {
      for (const word of text.toLowerCase().match(/[a-z]{3,}/g) ?? []) {
        frequency.set(word, (frequency.get(word) ?? 0) + 1);
      }
    }
  }
  const known = [...frequency].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([word]) => word);
  while (known.length < size) known.push(SYLLABLES[(known.length % 97) % SYLLABLES.length] + syllables(random));
  const cumulative = new Float64Array(known.length);
  let sum = 0;
  for (let rank = 0; rank < known.length; rank += 1) {
    sum += 1 / (rank + 2.7);
    cumulative[rank] = sum;
  }
  return () => {
    const target = random() * sum;
    let low = 0;
    let high = cumulative.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle] < target) low = middle + 1;
      else high = middle;
    }
    return known[low];
  };
}

function syllables(random) {
  let text = '';
  for (let i = 1 + Math.floor(random() * 3); i > 0; i -= 1) text += SYLLABLES[Math.floor(random() * SYLLABLES.length)];
  return text;
}

/** mulberry32: small, fast, the same everywhere. */
export function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const VERBS = [
  'get',
  'list',
  'create',
  'update',
  'delete',
  'search',
  'send',
  'add',
  'remove',
  'set',
  'export',
  'import',
];
const LINKS = ['the', 'of', 'to', 'a', 'for', 'with', 'in', 'and', 'by', 'from'];
const SYLLABLES =
  'ba be bi bo bu da de di do du fa fi ka ke ko la le li lo lu ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to va ve vi vo za ze zo'.split(
    ' ',
  );
