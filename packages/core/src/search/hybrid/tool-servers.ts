import type { Snapshot } from '../../catalog/index.ts';
import { nameKey } from '../text/index.ts';
import type { WholeCatalog } from './whole-catalog.ts';

/** Which server each tool is of, as a number. */
export class ToolServers {
  /** Per tool, the number of its server; of tools without one, the last number. */
  readonly #numbers: Uint32Array;
  readonly #keys: readonly string[];
  readonly #longestKey: number;
  /** Per server, what being of it tells: the fewer tools it has, the more. */
  readonly #closeness: Float64Array;

  /** @param whole the catalog that the tools are a part of. @default they are all of it */
  constructor({ tools, servers }: Snapshot, whole?: Pick<WholeCatalog, 'countServer'>) {
    const numbers = new Map(servers.map((server, at) => [server, at]));
    this.#keys = [...servers.map(spokenKey), ''];
    this.#numbers = Uint32Array.from(tools, ({ server = '' }) => numbers.get(server) ?? servers.length);
    this.#longestKey = this.#keys.reduce((most, { length }) => Math.max(most, length), 0);
    const sizes = new Float64Array(servers.length + 1);
    if (whole === undefined) for (const number of this.#numbers) sizes[number] = (sizes[number] as number) + 1;
    else servers.forEach((server, number) => void sizes.fill(whole.countServer(server), number, number + 1));
    this.#closeness = sizes.map((size, number) => (number < servers.length && size > 0 ? 1 / Math.sqrt(size) : 0));
  }

  /** Bytes of its arrays. */
  get byteLength(): number {
    return this.#numbers.byteLength + this.#closeness.byteLength;
  }

  /** For each of these tools 1 if the request names its server; else 0. */
  findNamed(request: string, tools: Uint32Array, into: Float64Array): Float64Array {
    const known = new Int8Array(this.#keys.length);
    const named = spokenNames(request, this.#longestKey);
    for (let at = 0; at < tools.length; at += 1) {
      const number = this.#numbers[tools[at] as number] as number;
      if (known[number] === 0) known[number] = this.#isNamed(number, named) ? 1 : -1;
      into[at] = known[number] === 1 ? 1 : 0;
    }
    return into;
  }

  /** The server of each of these tools. */
  numbersOf(tools: Uint32Array): Uint32Array {
    return tools.map((tool) => this.#numbers[tool] as number);
  }

  /** For each of these tools how much it has in common with others of its server, 0 (it has none) to 1 (it is the only one). */
  closenessOf(tools: Uint32Array, into: Float64Array): Float64Array {
    return this.#read(this.#closeness, tools, into);
  }

  #read(perServer: Float64Array, tools: Uint32Array, into: Float64Array): Float64Array {
    for (let at = 0; at < tools.length; at += 1) {
      into[at] = perServer[this.#numbers[tools[at] as number] as number] as number;
    }
    return into;
  }

  #isNamed(number: number, { runs, key: whole }: SpokenNames): boolean {
    const key = this.#keys[number] ?? '';
    if (key === '') return false;
    // In a script without spaces any part may be a word.
    return runs.has(key) || (!LATIN.test(key) && whole.includes(key));
  }
}

interface SpokenNames {
  /** The keys of one word or several in a row: "sql" is not named by "MySQL", but "Git Hub" names `github`. */
  readonly runs: ReadonlySet<string>;
  readonly key: string;
}

function spokenNames(request: string, longest: number): SpokenNames {
  const words = (request.match(WORD) ?? []).map(nameKey);
  const runs = new Set<string>();
  for (let start = 0; start < words.length; start += 1) {
    let key = '';
    for (let end = start; end < words.length && key.length <= longest; end += 1) {
      key += words[end];
      runs.add(key);
    }
  }
  return { runs, key: nameKey(request) };
}

const WORD = /[\p{Script=Latin}\p{M}\p{N}]+|[^\P{L}\p{Script=Latin}]+/gu;
const LATIN = /^[a-z0-9]+$/;

/** A server's name as people say it: who writes "github" means `github-mcp-server` and `GithubApi` too. */
function spokenKey(server: string): string {
  const key = nameKey(server);
  const spoken = key.replace(TECHNICAL_END, '').replace(TECHNICAL_START, '');
  return spoken.length < LEAST_SPOKEN ? key : spoken;
}

const TECHNICAL_START = /^(?:mcp|server)+/;
const TECHNICAL_END = /(?:api|mcp|server|service|toolkit|tools|v\d+)+$/;
/** Shorter ones stand in too many other words. */
const LEAST_SPOKEN = 3;
