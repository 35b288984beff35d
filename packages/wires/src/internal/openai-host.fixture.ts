import { createToolbox, EMPTY_MEMORY, parseTools } from '@quartermaster/core';
import type { ToolFormat } from '@quartermaster/core/catalog';
import { type DeferPlan, FORMS, type FormName } from '@quartermaster/core/disclosure';
import { DEFAULT_GATE_SETTINGS, type GateSettings } from '@quartermaster/core/gate';
import type { Whole } from '@quartermaster/core/loop';
import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import { type ScriptedAnswer, type ScriptedHost, scriptedHost } from './scripted-host.fixture.ts';
import { wordSearcher } from './word-searcher.fixture.ts';

/** Tool search for any number of tools, with one that is always there. */
export const ON: GateSettings = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' }, pins: ['read_file'] };

export interface OpenAIHostSample<Response, Part, Options> {
  readonly format: ToolFormat;
  readonly tools: readonly object[];
  readonly dialect: {
    readonly whole: Whole<Response, Part>;
    readonly write: (part: Part) => string;
    readonly end: string;
  };
  readonly wrap: (client: OpenAI, options: Options) => OpenAI;
}

export interface OpenAIHost<Part, Options> {
  /** A wrapped client of a host that answers from a script, and ends with the test. */
  start(
    answers: readonly ScriptedAnswer<Part>[],
    options?: Partial<Options>,
  ): Promise<{ readonly client: OpenAI; readonly host: ScriptedHost }>;
  /** The answer to a search that has found the issue. */
  told(form: FormName): string;
  /** What is added to a request in a form. */
  planOf(form: FormName): DeferPlan;
}

/** What the tests of both OpenAI adapters have in common. */
export function openaiHost<Response, Part, Options extends object>({
  format,
  tools,
  dialect,
  wrap,
}: OpenAIHostSample<Response, Part, Options>): OpenAIHost<Part, Options> {
  const toolbox = createToolbox({ tools: parseTools(tools, { format }).tools, searcher: wordSearcher, settings: ON });
  const planOf = (form: FormName): DeferPlan => {
    const plan = toolbox.plan(undefined, { form: FORMS[form] });
    if (plan.kind !== 'defer') throw new Error('The plan defers nothing');
    return plan;
  };
  return {
    async start(answers, options = {}) {
      const host = await scriptedHost(answers, { ...dialect, whole: dialect.whole as Whole<unknown, Part> });
      onTestFinished(host.close);
      const client = new OpenAI({ apiKey: 'none', baseURL: host.url, maxRetries: 0 });
      return { client: wrap(client, { searcher: wordSearcher, settings: ON, ...options } as never), host };
    },
    told: (form) =>
      toolbox.tell({
        plan: planOf(form),
        found: { kind: 'search', queries: ['issue'], names: ['create_issue'] },
        before: EMPTY_MEMORY,
      }),
    planOf,
  };
}
