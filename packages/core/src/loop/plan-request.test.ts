import { expect, it } from 'vitest';
import { sampleSnapshot } from '../disclosure/sample-tools.fixture.ts';
import { createToolbox } from '../dispatch/index.ts';
import { wordSearcher } from '../testing/index.ts';
import { planHistory, planRequest } from './plan-request.ts';
import { runLoop } from './run-loop.ts';
import { type TinyPart, type TinyRequest, tinyWire } from './tiny-wire.fixture.ts';
import { createTranscriptCache } from './transcript.ts';
import type { Wire } from './wire.ts';

const REQUEST: TinyRequest = { tools: [], messages: [{ role: 'user', text: 'Open an issue please' }] };
const LIMITS = { contextTokens: 200_000, source: 'default' } as const;
const FORM = { hidden: 'omit', reveal: 'answer', invoke: 'direct', search: 'local' } as const;

function setUp(rule: 'on' | 'off', extra: { readonly executes?: boolean; readonly refuses?: boolean } = {}) {
  const opened: TinyRequest[] = [];
  const wire: Wire<TinyRequest, TinyPart> = {
    ...tinyWire,
    open(request) {
      opened.push(request);
      if (extra.refuses === true) throw new RangeError('several choices');
      return tinyWire.open(request);
    },
  };
  const toolbox = createToolbox({
    tools: sampleSnapshot(),
    searcher: wordSearcher,
    settings: { rule: { kind: rule }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
  });
  const { executes = false } = extra;
  const plan = () =>
    planRequest({ wire, request: REQUEST, toolbox, limits: LIMITS, options: { form: FORM }, executes });
  return { plan, opened };
}

async function run(planned: ReturnType<ReturnType<typeof setUp>['plan']>): Promise<void> {
  if (planned.kind !== 'loop') return;
  const parts = runLoop<TinyRequest, TinyPart>({
    ...planned,
    prefetch: true,
    async *upstream() {
      yield { type: 'end', reason: 'end', tokens: 1 };
    },
  });
  for await (const _ of parts);
}

it.each([
  ['on', false, 'loop'],
  ['off', true, 'loop'],
  ['off', false, 'once'],
] as const)('a request is opened once at the most: deferral %s, executed here %s', async (rule, executes, kind) => {
  const { plan, opened } = setUp(rule, { executes });
  const planned = await planHistory(plan(), { transcript: createTranscriptCache().storeFor('owner') });
  expect(planned.kind).toBe(kind);
  await run(planned);
  expect(opened).toHaveLength(1);
});

it('what a loop can’t serve is sent once if possible, otherwise refused', async () => {
  expect(() => setUp('on', { refuses: true }).plan()).toThrow('several choices');
  const { plan } = setUp('off', { refuses: true });
  const planned = await planHistory(plan(), {
    transcript: createTranscriptCache().storeFor('owner'),
    isContinued: true,
  });
  expect(planned.kind).toBe('once');
});
