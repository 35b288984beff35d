import { describe, expect, it } from 'vitest';
import { createSnapshot } from '../catalog/index.ts';
import { EMPTY_MEMORY, type PlanEngine } from '../disclosure/index.ts';
import { sampleSnapshot } from '../disclosure/sample-tools.fixture.ts';
import { SettingError } from '../errors.ts';
import { createBm25Searcher, createRegexSearcher, type Searcher } from '../search/index.ts';
import { wordSearcher } from '../testing/index.ts';
import { boxWith } from './call-context.fixture.ts';
import { createToolbox } from './create-toolbox.ts';
import type { Toolbox } from './toolbox.ts';

const BROKEN: Searcher = {
  ...wordSearcher(createSnapshot([])),
  search: () => Promise.reject(new Error('Not this one')),
};

async function search(toolbox: Toolbox, engine: PlanEngine, query: string): Promise<unknown> {
  const plan = toolbox.plan(undefined, { engine });
  const call = { id: 'c1', name: 'tool_search', arguments: engine === 'regex' ? { pattern: query } : { query } };
  const step = await toolbox.handle({ plan, call, memory: EMPTY_MEMORY });
  return step.kind === 'answer' ? step.found : undefined;
}

describe('a search', () => {
  it('is answered by the engine of its plan, on one toolbox', async () => {
    const toolbox = boxWith({ searcher: createBm25Searcher });
    const pattern = '^create_issue$|^slack__send_message$';
    expect(await search(toolbox, 'regex', '(?i)SEND_m')).toMatchObject({ names: ['slack__send_message'] });
    expect(await search(toolbox, 'text', 'send a message')).toMatchObject({
      names: expect.arrayContaining(['slack__send_message']),
    });
    expect(await search(toolbox, 'regex', '(')).toMatchObject({ kind: 'failure', code: 'invalid_pattern' });
    expect(await search(toolbox, 'text', '(')).toMatchObject({ kind: 'search' });
    expect(await search(toolbox, 'text', pattern)).toMatchObject({ kind: 'search' });
  });

  it('needs the searcher of its own engine alone', async () => {
    const regex: Searcher = { ...BROKEN, engine: 'regex' };
    expect(await search(boxWith({ regexSearcher: regex }), 'text', 'message')).toMatchObject({ kind: 'search' });
    expect(await search(boxWith({ searcher: BROKEN }), 'regex', 'message')).toMatchObject({ kind: 'search' });
    expect(await search(boxWith({ regexSearcher: regex }), 'regex', 'message')).toMatchObject({ kind: 'failure' });
    expect(await search(boxWith({ searcher: BROKEN }), 'text', 'message')).toMatchObject({ kind: 'failure' });
  });
});

describe('a searcher in the wrong place', () => {
  it.each([
    ['searcher', createRegexSearcher],
    ['regexSearcher', createBm25Searcher],
  ] as const)('is refused as %s, with the right place', async (setting, make) => {
    const tools = sampleSnapshot();
    const right = setting === 'searcher' ? 'regexSearcher' : 'searcher';
    const wrong = new RegExp(`^The ${setting} is of the engine .*: pass it as ${right}$`);
    expect(() => createToolbox({ tools, [setting]: make(tools) })).toThrow(SettingError);
    expect(() => createToolbox({ tools, [setting]: make(tools) })).toThrow(wrong);
    const toolbox = boxWith({ [setting]: make });
    const found = await search(toolbox, setting === 'searcher' ? 'text' : 'regex', 'a');
    expect(found).toMatchObject({ kind: 'failure', message: expect.stringMatching(wrong) });
  });
});
