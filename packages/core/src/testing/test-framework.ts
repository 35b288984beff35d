/**
 * The functions of a test framework: those of Vitest, Jest and Bun fit as they are.
 *
 * @example
 * import { describe, expect, it } from 'vitest';
 *
 * describeSearcher({ describe, it, expect }, { name: 'my search', create: createMySearcher });
 */
export interface TestFramework {
  describe(name: string, define: () => void): unknown;
  it(name: string, run: () => void | Promise<void>): unknown;
  expect(value: unknown): Expectation;
}

/** What the suites expect of a value. */
export interface Expectation {
  toBe(expected: unknown): unknown;
  toEqual(expected: unknown): unknown;
  toMatchObject(expected: object): unknown;
  toContain(expected: unknown): unknown;
  toHaveLength(expected: number): unknown;
  readonly not: Pick<Expectation, 'toContain' | 'toBe' | 'toEqual'>;
}
