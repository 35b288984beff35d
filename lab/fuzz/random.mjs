/** Random choices that a seed decides: the same seed draws the same cases on every machine. */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (below) => Math.floor(next() * below);
  const pick = (list) => list[whole(list.length)];
  const list = (most, make) => Array.from({ length: whole(most + 1) }, make);
  return {
    whole,
    pick,
    list,
    isOne: (of) => whole(of) === 0,
    text: (most, characters = CHARACTERS) => list(most, () => pick(characters)).join(''),
  };
}

const CHARACTERS = [
  ...'abcXYZ019 _-./:;,+*?!"\'\\()[]{}<>|&^%$#@~`\n\t\r\0',
  ...['é', 'ß', 'İ', '請', '求', '한', 'ж', '😀', '\u0301', '\u200d', '\ufeff', '\ud800', '\udc00', '\u202e'],
];

/** Values that code tends to forget. */
const ODD = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -0, 2 ** 53, '', ' ', '__proto__', 'constructor', '\ud800', [], {}, [[]]],
  ...[{ type: 'text' }, { __proto__: null }, 'x'.repeat(300), Array.from({ length: 50 }, () => ({}))],
];

/** A copy of a JSON value with a few places changed: other values, missing parts, parts twice, keys renamed. */
export function mutate(random, value, changes = 1 + random.whole(3)) {
  const copy = { root: structuredClone(value) };
  for (let change = 0; change < changes; change += 1) {
    const places = [];
    collect(copy, places, 0);
    const { parent, key } = random.pick(places);
    const kind = random.whole(5);
    if (kind === 0) parent[key] = structuredClone(random.pick(ODD));
    else if (kind === 1 && parent !== copy) Array.isArray(parent) ? parent.splice(key, 1) : delete parent[key];
    else if (kind === 2 && Array.isArray(parent)) parent.splice(key, 0, structuredClone(parent[key]));
    else if (kind === 3 && !Array.isArray(parent) && parent !== copy) parent[random.text(8)] = parent[key];
    else parent[key] = structuredClone(random.pick(places.map((place) => place.parent[place.key])));
  }
  return copy.root;
}

function collect(parent, places, depth) {
  for (const key of Array.isArray(parent) ? parent.keys() : Object.keys(parent)) {
    places.push({ parent, key });
    const value = parent[key];
    if (typeof value === 'object' && value !== null && depth < 12) collect(value, places, depth + 1);
  }
}

/** Bytes with a few of them changed, cut or repeated. */
export function mutateBytes(random, bytes) {
  const copy = Buffer.from(bytes);
  for (let change = 0; change < 1 + random.whole(3); change += 1) copy[random.whole(copy.length)] = random.whole(256);
  return random.isOne(3) ? copy.subarray(0, random.whole(copy.length)) : copy;
}
