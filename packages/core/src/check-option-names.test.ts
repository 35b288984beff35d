import { expect, it } from 'vitest';
import { createSnapshot, parseTools } from './catalog/index.ts';
import { readChoice } from './check-option-names.ts';
import { readCapabilities } from './gate/index.ts';
import { createModelReranker, createReranker } from './search/index.ts';

it.each<[string, (options: never) => unknown, object, string]>([
  ['createSnapshot', (options) => createSnapshot([], options), { max: 1 }, 'contentKey, digest, maxNameLength'],
  ['parseTools', (options) => parseTools([], options), { formats: 'mcp' }, 'format, missingDeferral'],
  ['createReranker', createReranker, { timeout: 1 }, 'cacheBytes, depth, embedder'],
  ['createModelReranker', createModelReranker, { timeout: 1 }, 'cachedScores, depth, model'],
  ['readCapabilities', (options) => readCapabilities({ capabilities: [] }, options), { limit: 1 }, 'threshold'],
])('%s refuses an option that it does not have, with those that it has', (owner, create, options, allowed) => {
  const [name] = Object.keys(options);
  expect(() => create(options as never)).toThrow(`${owner}: unknown option "${name}"; allowed: ${allowed}`);
});

it.each<[string, () => unknown, string]>([
  ['onDuplicate', () => createSnapshot([], { onDuplicate: 'skip' as 'first' }), 'error, first, last'],
  ['onProblem', () => parseTools([], { onProblem: 'ignore' as 'throw' }), 'collect, throw'],
])('%s is refused with the choices that there are', (setting, create, allowed) => {
  expect(create).toThrow(new RegExp(`^${setting} is "\\w+"; allowed: ${allowed}$`));
});

it('gives back what is allowed, and names all that is for anything else', () => {
  expect(readChoice('engine', 'text', ['text', 'regex'])).toBe('text');
  for (const value of ['Text', 'regx', '', 7, null, undefined, {}]) {
    expect(() => readChoice('engine', value, ['text', 'regex'])).toThrow(/^engine is .+; allowed: text, regex$/);
  }
});
