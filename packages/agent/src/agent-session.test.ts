import { createBm25Searcher, type Snapshot } from '@quartermaster/core';
import { scripted } from '@quartermaster/host/upstream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from './agent-session.ts';
import type { Options } from './options.ts';
import { readOptions } from './read-options.ts';
import { office } from './testing/servers.fixture.ts';

/** A session whose searchers note their preparations. */
async function opened(enableToolSearch: string) {
  const upstream = scripted({ dialect: 'anthropic', turns: [] });
  const prepared: Snapshot[] = [];
  const options: Options = {
    ...{ upstream, mcpServers: { office: office() }, persistSession: false },
    env: { ENABLE_TOOL_SEARCH: enableToolSearch },
    searcher: (snapshot) => ({
      ...createBm25Searcher(snapshot),
      engine: 'hybrid',
      async prepare() {
        prepared.push(snapshot);
      },
    }),
  };
  const session = await openSession({
    options,
    read: readOptions(options),
    controls: { mode: 'default', model: undefined },
    signal: new AbortController().signal,
  });
  onTestFinished(() => session.close());
  for (let turn = 0; turn < 8; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  return { session, prepared, requests: upstream.requests };
}

describe('what searches will need', () => {
  it('is built as soon as the servers have listed their tools, before a model is asked', async () => {
    const { session, prepared, requests } = await opened('true');
    expect(prepared).toEqual([session.context.toolbox.snapshot()]);
    expect(requests).toEqual([]);
  });

  it('is not built where every tool is declared', async () => {
    expect((await opened('false')).prepared).toEqual([]);
  });
});
