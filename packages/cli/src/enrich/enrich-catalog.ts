import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Snapshot } from '@quartermaster/core';
import { hashTool } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { type HintsEntry, type HintsFile, readHintsFile } from '@quartermaster/host/config';
import { resolveUpstream } from '@quartermaster/host/upstream';
import { note, print, write } from '../command-io.ts';
import type { CommandContext, EnrichFlags } from '../commands/index.ts';
import { createSearcher } from '../create-searcher.ts';
import { EXIT } from '../exit-code.ts';
import { InputError, UnavailableError } from '../input-error.ts';
import { loadSettings } from '../serving/index.ts';
import { confirm, count, counted, dollars, startProgress } from '../terminal/index.ts';
import { checkHints } from './check-hints.ts';
import { type EnrichPlan, type HintRequest, PROMPT_VERSION, planRequests, readAnswer } from './plan-requests.ts';

/** Asks the model for hints, batch by batch, and saves each answer at once, so that a stopped run can resume. */
export async function enrichCatalog(snapshot: Snapshot, flags: EnrichFlags, context: CommandContext): Promise<void> {
  const { io } = context;
  const out = resolve(flags.out);
  const file = existsSync(out) ? readFile(out) : { version: 1 as const, tools: {} };
  const plan = planRequests(snapshot, { file, model: flags.model, onlyWeak: flags.onlyWeak === true });
  await write(io.stdout, describePlan(plan, flags));
  if (flags.dryRun === true) {
    if (findUpstream(flags, context) === undefined) await note(io, noUpstream(flags));
    return;
  }
  const kept = new Map(Object.entries(file.tools));
  let unread = 0;
  if (plan.asked > 0) {
    const upstream = findUpstream(flags, context);
    if (upstream === undefined) throw new InputError(noUpstream(flags));
    if (flags.yes !== true && !(await confirm(io, 'Send these requests?'))) {
      throw new InputError('Nothing was sent. Add --yes to confirm without a prompt.');
    }
    const complete = await connect(upstream, flags);
    unread = await askForHints(plan, { ...{ flags, context, kept, complete }, save: () => saveHints(out, kept) });
  }
  await rejectHints(snapshot, kept, context);
  saveHints(out, kept);
  await print(io, describeResult(snapshot, kept, flags));
  if (unread === 0) return;
  await note(io, `${counted(unread, 'tool')}: the model's answer could not be read. Run the command again to retry.`);
  context.exit(EXIT.findings);
}

interface Asking {
  readonly flags: EnrichFlags;
  readonly context: CommandContext;
  readonly kept: Map<string, HintsEntry>;
  readonly save: () => void;
  readonly complete: (prompt: string) => Promise<string>;
}

/** Returns the number of tools whose answers could not be read. */
async function askForHints(plan: EnrichPlan, { flags, context, kept, save, complete }: Asking): Promise<number> {
  const { io } = context;
  const progress = startProgress(io);
  const queue = plan.requests.values();
  let done = 0;
  let unread = 0;
  let failure: Error | undefined;
  const work = async (): Promise<void> => {
    for (const request of queue) {
      if (failure !== undefined) return;
      try {
        if (await keepAnswer(request, { flags, kept, complete })) done += request.tools.length;
        else unread += request.tools.length;
      } catch (error) {
        failure ??= error as Error;
        return;
      }
      save();
      progress.update('Tools enriched', done, plan.asked);
    }
  };
  try {
    await Promise.all(Array.from({ length: flags.concurrency }, work));
  } finally {
    progress.end();
  }
  if (failure === undefined) return unread;
  throw new UnavailableError(
    `${failure.message}\n${counted(done, 'tool')} of ${plan.asked} done and saved in ${flags.out}. Run the same command again to continue.`,
  );
}

/** An unreadable answer is requested once more. Returns whether one could be read; if not, the next run asks again. */
async function keepAnswer(
  { tools, prompt }: HintRequest,
  { flags, kept, complete }: Pick<Asking, 'flags' | 'kept' | 'complete'>,
): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const text = await complete(prompt);
    try {
      for (const [tool, hints] of readAnswer(text, tools)) {
        kept.set(tool.id, { hash: hashTool(tool), model: flags.model, prompt: PROMPT_VERSION, hints });
      }
      return true;
    } catch {
      // Models that write prose around their JSON, or cut it off, usually do better the second time.
    }
  }
  return false;
}

type FoundUpstream = NonNullable<ReturnType<typeof resolveUpstream>>;

function findUpstream({ config: path, model }: EnrichFlags, { io }: CommandContext): FoundUpstream | undefined {
  const { config } = loadSettings(defined({ config: path }), io.env);
  return resolveUpstream(config.upstreams, model, { env: io.env });
}

function noUpstream({ model }: EnrichFlags): string {
  return `No upstream in the settings serves the model "${model}". Add one under upstreams in quartermaster.yaml.`;
}

async function connect(upstream: FoundUpstream, flags: EnrichFlags): Promise<Asking['complete']> {
  const { whole } = await upstream.for('anthropic');
  return async (prompt) => {
    const { content } = await whole(
      { model: flags.model, max_tokens: MOST_TOKENS, messages: [{ role: 'user', content: prompt }] },
      AbortSignal.timeout(PATIENCE_MS),
    );
    return content.map((block) => ('text' in block && typeof block.text === 'string' ? block.text : '')).join('');
  };
}

async function rejectHints(snapshot: Snapshot, kept: Map<string, HintsEntry>, { io }: CommandContext): Promise<void> {
  const current = new Map(
    [...kept].flatMap(([id, entry]) => {
      const tool = snapshot.get(id);
      // Sorted, so that every run splits them into the same halves and gives the same result.
      const hints = [...entry.hints, ...(entry.rejected ?? [])].sort();
      return tool !== undefined && hashTool(tool) === entry.hash ? [[id, { ...entry, hints }] as const] : [];
    }),
  );
  const progress = startProgress(io);
  const rejected = await checkHints(snapshot, current, {
    create: (hinted) => createSearcher('hybrid', hinted),
    onProgress: (done, total) => progress.update('Hints checked', done, total),
  }).finally(() => progress.end());
  for (const [id, { rejected: _, ...entry }] of current) {
    const mine = new Set(rejected.filter((one) => one.id === id).map(({ hint }) => hint));
    const hints = entry.hints.filter((hint) => !mine.has(hint));
    kept.set(id, { ...entry, hints, ...(mine.size === 0 ? {} : { rejected: [...mine] }) });
  }
}

function readFile(path: string): HintsFile {
  try {
    return readHintsFile(path);
  } catch (error) {
    throw new InputError((error as Error).message);
  }
}

/** Written to a temporary file first, so that an interruption leaves the old one. */
function saveHints(path: string, kept: ReadonlyMap<string, HintsEntry>): void {
  const tools = Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1)));
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ version: 1, tools } satisfies HintsFile, undefined, 2)}\n`);
  renameSync(temporary, path);
}

function describePlan(plan: EnrichPlan, { model, inputPrice, outputPrice }: EnrichFlags): string {
  const lines = [
    plan.asked === 0
      ? `No tools to ask ${model} about.`
      : `${counted(plan.asked, 'tool')} to ask ${model} about, in ${counted(plan.requests.length, 'request')}.`,
  ];
  if (plan.known > 0) lines.push(`${counted(plan.known, 'tool')} already ${plan.known === 1 ? 'has' : 'have'} hints.`);
  if (plan.passedOver > 0) lines.push(`${counted(plan.passedOver, 'tool')} skipped: the description is good enough.`);
  if (plan.asked > 0) {
    const tokens = `About ${count(plan.inputTokens)} input tokens and up to ${count(plan.outputTokens)} output tokens`;
    const money =
      inputPrice === undefined || outputPrice === undefined
        ? '. Add --input-price and --output-price to see the cost in dollars.'
        : `: about ${dollars((plan.inputTokens * inputPrice + plan.outputTokens * outputPrice) / 1e6)}.`;
    lines.push(tokens + money);
  }
  return `${lines.join('\n')}\n`;
}

function describeResult(snapshot: Snapshot, kept: ReadonlyMap<string, HintsEntry>, { out }: EnrichFlags): string {
  const entries = snapshot.tools.flatMap((tool) => kept.get(tool.id) ?? []);
  const hints = entries.reduce((sum, entry) => sum + entry.hints.length, 0);
  const rejected = entries.reduce((sum, entry) => sum + (entry.rejected?.length ?? 0), 0);
  const lacking = snapshot.tools.length - entries.length;
  if (hints === 0) {
    return `No hints${rejected === 0 ? '' : `: all ${count(rejected)} were rejected`}. ${counted(lacking, 'tool')} without hints.`;
  }
  return [
    `${counted(hints, 'hint')} for ${counted(entries.length, 'tool')} in ${out}, ${count(rejected)} rejected.`,
    ...(lacking > 0 ? [`${counted(lacking, 'tool')} without hints.`] : []),
    `To use them: "search: { hints: ${out} }" in quartermaster.yaml, or --hints ${out}.`,
  ].join('\n');
}

const MOST_TOKENS = 4_096;
const PATIENCE_MS = 180_000;
