import { expect, it } from 'vitest';
import { createModelNames } from './catalog/create-snapshot.ts';
import { createSnapshot, parseTools } from './catalog/index.ts';
import { checkOptionNames, readChoice, readWholeNumber } from './check-option-names.ts';
import { readCapabilities, suggestPins } from './gate/index.ts';
import { createTranscriptCache } from './loop/index.ts';
import {
  buildBm25Index,
  createBm25Searcher,
  createHybridSearcher,
  createModelReranker,
  createRegexSearcher,
  createReranker,
  createSemanticSearcher,
} from './search/index.ts';
import { compilePattern } from './search/regex/standalone.ts';

const NO_TOOLS = createSnapshot([]);

it.each<[string, (options: never) => unknown, object, string]>([
  ['createSnapshot', (options) => createSnapshot([], options), { max: 1 }, 'contentKey, digest, maxNameLength'],
  ['parseTools', (options) => parseTools([], options), { formats: 'mcp' }, 'format, missingDeferral'],
  ['createReranker', createReranker, { timeout: 1 }, 'cacheBytes, depth, embedder'],
  ['createModelReranker', createModelReranker, { timeout: 1 }, 'cachedScores, depth, model'],
  ['createBm25Searcher', (options) => createBm25Searcher(NO_TOOLS, options), { k2: 1 }, 'bigramWeight, cache'],
  ['buildBm25Index', (options) => buildBm25Index([], options), { k2: 1 }, 'bigramWeight, compoundWeight'],
  [
    'createHybridSearcher',
    (options) => createHybridSearcher(NO_TOOLS, options),
    { rerank: 1 },
    'bm25, cache, embedder',
  ],
  ['createSemanticSearcher', (options) => createSemanticSearcher(NO_TOOLS, options), { weights: {} }, 'bm25, cache'],
  ['createRegexSearcher', (options) => createRegexSearcher(NO_TOOLS, options), { flags: 'i' }, 'budget, now, pause'],
  ['compilePattern', (options) => compilePattern('x', options), { flag: 'i' }, 'budget, flags, maxLength'],
  ['createTranscriptCache', createTranscriptCache, { bytes: 1 }, 'maxBytes, memory'],
  ['suggestPins', (options) => suggestPins([], options), { calls: 1 }, 'minCalls'],
  ['createModelNames', (options) => createModelNames([], options), { template: 'x' }, 'maxNameLength, nameTemplate'],
  ['readCapabilities', (options) => readCapabilities({ capabilities: [] }, options), { limit: 1 }, 'threshold'],
])('%s refuses an option that it does not have, with those that it has', (owner, create, options, allowed) => {
  const [name] = Object.keys(options);
  expect(() => create(options as never)).toThrow(`${owner}: unknown option "${name}"; allowed: ${allowed}`);
});

it.each<[string, () => unknown, string]>([
  ['onDuplicate', () => createSnapshot([], { onDuplicate: 'skip' as 'first' }), 'error, first, last'],
  ['onProblem', () => parseTools([], { onProblem: 'ignore' as 'throw' }), 'collect, throw'],
])('%s is refused with the allowed choices', (setting, create, allowed) => {
  expect(create).toThrow(new RegExp(`^${setting} is "\\w+"; allowed: ${allowed}$`));
});

it('returns allowed values, and lists them for anything else', () => {
  expect(readChoice('engine', 'text', ['text', 'regex'])).toBe('text');
  for (const value of ['Text', 'regx', '', 7, null, undefined, {}]) {
    expect(() => readChoice('engine', value, ['text', 'regex'])).toThrow(/^engine is .+; allowed: text, regex$/);
  }
});

it('says what is wrong with a value that JSON can not express', () => {
  const client: { self?: object } = {};
  client.self = client;
  for (const value of [client, { size: 1n }, { toJSON: () => undefined }]) {
    expect(() => readChoice('engine', value, ['text', 'regex'])).toThrow('engine is an object; allowed: text, regex');
  }
  expect(() => readWholeNumber('limit', [1n])).toThrow('limit is a list; allowed: a whole number from 1');
  expect(() => createTranscriptCache([1n] as never)).toThrow(
    'options are a list; expected an object with some of: max',
  );
});

it('names the option that a misspelt name is near to, and none for a name that is not', () => {
  const check = (options: object) => () => checkOptionNames('create', options, { tools: true, searcher: true });
  expect(check({ tool: 1 })).toThrow('create: unknown option "tool"; allowed: searcher, tools; did you mean tools?');
  expect(check({ elsewhere: 1 })).toThrow(/allowed: searcher, tools$/);
});

it('takes names as a text, which does not compile unless it has them all', () => {
  const options: { readonly first?: number; readonly second?: number; readonly third?: number } = { first: 1 };
  checkOptionNames('create', options, 'second first third');
  checkOptionNames('create', options, 'second third', { first: 1 });
  // @ts-expect-error one is missing
  expect(() => checkOptionNames('create', options, 'second third')).toThrow('allowed: second, third');
  // @ts-expect-error one is not the options'
  checkOptionNames('create', options, 'first second third fourth');
});
