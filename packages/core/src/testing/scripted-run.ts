import { createSnapshot, createTool, type Tool, type ToolParts } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import type { Form, Plan, Unavailable } from '../disclosure/index.ts';
import { createToolbox, type Toolbox } from '../dispatch/index.ts';
import { resolveReferences, runLoop, runWhole, type TranscriptStore } from '../loop/index.ts';
import type { Received, ScriptedItem, ScriptedRound, Seen, WireSample } from './wire-sample.ts';
import { wordSearcher } from './word-searcher.ts';

/** A tool with one required text parameter. */
export function textTool(tool: Omit<ToolParts, 'schema'>): Tool {
  return createTool({
    ...tool,
    schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  });
}

export const TOOLS: readonly Tool[] = [
  textTool({ name: 'read_file', policy: 'never', description: 'Reads a file.' }),
  textTool({ name: 'create_issue', description: 'Opens an issue.' }),
  textTool({ name: 'close_issue', description: 'Closes an issue.' }),
  textTool({ name: 'send_message', description: 'Sends a message.' }),
];

export const DONE: ScriptedRound = { items: [{ kind: 'text', text: 'All done.' }], ending: 'done' };

/** The first request of every test, and the way to run a scripted turn. */
export function script<Request, Part>(
  sample: WireSample<Request, Part>,
  form: Form,
): {
  first: Request;
  run: (request: Request, rounds: readonly ScriptedRound[], extra?: Extra) => Promise<Run<Request, Part>>;
} {
  const first = freeze(sample.request({ text: 'Open an issue', tools: TOOLS, unknown: 'kept' }));
  return {
    first,
    run: (request, rounds, extra = {}) => runScript(sample, { request, form, script: rounds, ...extra }),
  };
}

export interface Extra {
  readonly tools?: readonly Tool[];
  readonly unavailable?: readonly Unavailable[];
  readonly maxRounds?: number;
  /** What keeps hidden parts from one run to the next. @default nothing */
  readonly transcript?: TranscriptStore;
  /** Whether the client asks for whole responses. @default false */
  readonly isWhole?: boolean;
  /** Whether the client refers to responses by their ids, which no other response has then. @default false */
  readonly refers?: boolean;
}

export interface Run<Request, Part> {
  readonly plan: Plan;
  readonly parts: readonly Part[];
  readonly received: Received;
  /** What went upstream, round by round. */
  readonly requests: readonly Request[];
  readonly seen: readonly Seen[];
}

async function runScript<Request, Part>(
  sample: WireSample<Request, Part>,
  options: Extra & { readonly request: Request; readonly form: Form; readonly script: readonly ScriptedRound[] },
): Promise<Run<Request, Part>> {
  const toolbox = makeToolbox(options.tools ?? TOOLS, options.unavailable);
  const plan = toolbox.plan(undefined, { ...sample.planOptions, form: options.form });
  const requests: Request[] = [];
  const parts: Part[] = [];
  const next = (request: Request): readonly Part[] => {
    const script = options.script[requests.length];
    requests.push(request);
    if (script === undefined) throw new Error(`The script has no round ${requests.length}`);
    return sample.round(script, options.refers === true ? newResponseId() : undefined);
  };
  const asked = freeze(options.request);
  const { transcript } = options;
  const loop = {
    wire: sample.wire,
    toolbox,
    plan,
    request: freeze(await resolveReferences<Request, Part>({ wire: sample.wire, request: asked, transcript })),
    asked,
    maxRounds: options.maxRounds ?? 5,
    ...defined({ transcript }),
    onTranscriptError(error: unknown) {
      throw error;
    },
  };
  const { whole } = sample;
  if (options.isWhole === true && whole !== undefined) {
    const upstream = async (request: Request): Promise<unknown> => whole.fromParts(next(request));
    parts.push(...whole.toParts(await runWhole({ ...loop, whole, upstream })));
  } else {
    const upstream = async function* (request: Request): AsyncGenerator<Part> {
      yield* next(request);
    };
    for await (const part of runLoop<Request, Part>({ ...loop, upstream })) parts.push(part);
  }
  const seen = requests.map((request) => sample.seen(request));
  return { plan, parts, received: sample.received(parts), requests, seen };
}

function makeToolbox(tools: readonly Tool[], unavailable: readonly Unavailable[] = []): Toolbox {
  return createToolbox({
    tools: createSnapshot(tools),
    searcher: wordSearcher,
    unavailable: () => unavailable,
    checkArguments: (_, given) =>
      'wrong' in given ? { kind: 'wrong', problems: [{ path: '/wrong', message: 'is not known' }] } : { kind: 'good' },
    settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
  });
}

let responses = 0;

/** As long as the ids of a provider: one that could be another's by chance is not referred to. */
function newResponseId(): string {
  responses += 1;
  return `resp_${responses.toString(16).padStart(4, '0')}a7c2e95b1d48f306`;
}

export function reply<Request, Part>(
  sample: WireSample<Request, Part>,
  request: Request,
  turn: { readonly parts: readonly Part[]; readonly received: Received; readonly refers?: boolean | undefined },
  text?: string,
): Request {
  const results = new Map(turn.received.calls.map((made) => [made.id, `Result of ${made.name}`]));
  const answer = { results, ...defined({ text }) };
  if (turn.refers === true && sample.refer !== undefined) return freeze(sample.refer(request, turn.parts, answer));
  return freeze(sample.next(request, turn.parts, answer));
}

/** Calls without an answer before the next assistant message, and answers without a call, over all requests. */
export function unpaired(requests: readonly Seen[]): readonly string[] {
  return requests.flatMap(({ messages }) => {
    const wrong: string[] = [];
    let open = new Set<string>();
    for (const message of messages) {
      if (message.role === 'assistant' || message.role === 'user') {
        if (message.answers.length === 0) {
          wrong.push(...[...open].map((id) => `${id} is unanswered`));
          open = new Set();
        }
      }
      for (const id of message.answers) if (!open.delete(id)) wrong.push(`${id} answers nothing`);
      for (const id of message.calls) {
        if (open.has(id)) wrong.push(`${id} is twice in a message`);
        open.add(id);
      }
    }
    return [...wrong, ...[...open].map((id) => `${id} is unanswered at the end`)];
  });
}

export function call(id: string, name: string, input: unknown): ScriptedItem {
  return { kind: 'call', id, name, json: JSON.stringify(input) };
}

/** A wire never changes what it is given. */
export function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
