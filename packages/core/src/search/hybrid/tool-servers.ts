import type { Snapshot } from '../../catalog/index.ts';
import { nameKey } from '../text/index.ts';

/** Which server each tool is of, as a number. */
export class ToolServers {
  /** Per tool, the number of its server; of tools without one, the last number. */
  readonly #numbers: Uint32Array;
  readonly #keys: readonly string[];
  /** Per server, what being of it tells: the fewer tools it has, the more. */
  readonly #closeness: Float64Array;
  /** Per server, the logarithm of how many times as many tools the largest one has; those without a server are one together. */
  readonly #smallness: Float64Array;

  constructor({ tools, servers }: Snapshot) {
    const numbers = new Map(servers.map((server, at) => [server, at]));
    this.#keys = [...servers.map(spokenKey), ''];
    this.#numbers = Uint32Array.from(tools, ({ server = '' }) => numbers.get(server) ?? servers.length);
    const sizes = new Float64Array(servers.length + 1);
    for (const number of this.#numbers) sizes[number] = (sizes[number] as number) + 1;
    this.#closeness = sizes.map((size, number) => (number < servers.length && size > 0 ? 1 / Math.sqrt(size) : 0));
    const most = sizes.reduce((largest, size) => Math.max(largest, size), 1);
    this.#smallness = sizes.map((size) => Math.log(most / Math.max(size, 1)));
  }

  /** Bytes of its arrays. */
  get byteLength(): number {
    return this.#numbers.byteLength + this.#closeness.byteLength + this.#smallness.byteLength;
  }

  /** For each of these tools 1 if the request, given as a key, names its server; else 0. */
  findNamed(requestKey: string, tools: Uint32Array, into: Float64Array): Float64Array {
    const known = new Int8Array(this.#keys.length);
    for (let at = 0; at < tools.length; at += 1) {
      const number = this.#numbers[tools[at] as number] as number;
      if (known[number] === 0) known[number] = this.#isNamed(number, requestKey) ? 1 : -1;
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

  /** See `smallServer` of `HybridFeatures`. */
  smallnessOf(tools: Uint32Array, into: Float64Array): Float64Array {
    return this.#read(this.#smallness, tools, into);
  }

  #read(perServer: Float64Array, tools: Uint32Array, into: Float64Array): Float64Array {
    for (let at = 0; at < tools.length; at += 1) {
      into[at] = perServer[this.#numbers[tools[at] as number] as number] as number;
    }
    return into;
  }

  #isNamed(number: number, requestKey: string): boolean {
    const key = this.#keys[number] ?? '';
    return key !== '' && requestKey.includes(key);
  }
}

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
