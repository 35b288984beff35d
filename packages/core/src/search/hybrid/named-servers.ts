import type { Snapshot } from '../../catalog/index.ts';
import { nameKey } from '../text/index.ts';

/** Finds the tools whose server a request names. */
export class NamedServers {
  /** Per tool, the number of its server's key. */
  readonly #numbers: Uint32Array;
  readonly #keys: readonly string[];

  constructor({ tools, servers }: Snapshot) {
    const numbers = new Map(servers.map((server, at) => [server, at]));
    this.#keys = [...servers.map(nameKey), ''];
    this.#numbers = Uint32Array.from(tools, ({ server = '' }) => numbers.get(server) ?? servers.length);
  }

  /** For each of these tools 1 if the request, given as a key, names its server; else 0. */
  find(requestKey: string, tools: Uint32Array, into: Float64Array): Float64Array {
    const known = new Int8Array(this.#keys.length);
    for (let at = 0; at < tools.length; at += 1) {
      const number = this.#numbers[tools[at] as number] as number;
      if (known[number] === 0) known[number] = this.#isNamed(number, requestKey) ? 1 : -1;
      into[at] = known[number] === 1 ? 1 : 0;
    }
    return into;
  }

  #isNamed(number: number, requestKey: string): boolean {
    const key = this.#keys[number] ?? '';
    return key !== '' && requestKey.includes(key);
  }
}
