import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Snapshot } from '@quartermaster/core';
import { hashTool } from '@quartermaster/core/catalog';
import { type HintsEntry, type HintsFile, readHintsFile } from '@quartermaster/host/config';
import { resolveUpstream } from '@quartermaster/host/upstream';
import { write } from '../command-io.ts';
import type { CommandContext, EnrichFlags } from '../commands/index.ts';
import { createSearcher } from '../create-searcher.ts';
import { InputError, UnavailableError } from '../input-error.ts';
import { loadSettings } from '../serving/index.ts';
import { confirm, counted, startProgress } from '../terminal/index.ts';
import { checkHints } from './check-hints.ts';
import { type EnrichPlan, type HintRequest, planRequests } from './plan-requests.ts';
import { PROMPT_VERSION, readAnswer } from './prompt.ts';

/** Asks the model for hints, batch by batch, and keeps each answer at once: a run that is stopped goes on from there. */
export async function enrichCatalog(snapshot: Snapshot, flags: EnrichFlags, context: CommandContext): Promise<void> {
  const { io } = context;
  const out = resolve(flags.out);
  const file = existsSync(out) ? readFile(out) : { version: 1 as const, tools: {} };
  const plan = planRequests(snapshot, { file, model: flags.model, onlyWeak: flags.onlyWeak === true });
  await write(io.stdout, describePlan(plan, flags));
  if (flags.dryRun === true) return;
  const kept = new Map(Object.entries(file.tools));
  if (plan.asked > 0) {
    if (flags.yes !== true && !(await confirm(io, 'Go ahead?'))) {
      throw new InputError('Nothing was asked. Add --yes to go ahead without being asked.');
    }
    await askForHints(plan, { ...{ flags, context, kept }, save: () => saveHints(out, kept) });
  }
  await rejectHints(snapshot, kept, context);
  saveHints(out, kept);
  await write(io.stdout, `${describeResult(snapshot, kept, flags)}\n`);
}

interface Asking {
  readonly flags: EnrichFlags;
  readonly context: CommandContext;
  readonly kept: Map<string, HintsEntry>;
  readonly save: () => void;
}

async function askForHints(plan: EnrichPlan, { flags, context, kept, save }: Asking): Promise<void> {
  const { io } = context;
  const complete = await connect(flags, context);
  const progress = startProgress(io);
  const queue = plan.requests.values();
  let done = 0;
  let failure: Error | undefined;
  const work = async (): Promise<void> => {
    for (const request of queue) {
      if (failure !== undefined) return;
      try {
        await keepAnswer(request, { ...{ flags, kept }, complete });
      } catch (error) {
        failure ??= error as Error;
        return;
      }
      done += request.tools.length;
      save();
      progress.update('Tools enriched', done, plan.asked);
    }
  };
  try {
    await Promise.all(Array.from({ length: flags.concurrency }, work));
  } finally {
    progress.end();
  }
  if (failure === undefined) return;
  throw new UnavailableError(
    `${failure.message}\n${counted(done, 'tool')} of ${plan.asked} done and kept in ${flags.out}; run the same command again to go on.`,
  );
}

/** An answer that can't be read is asked for once more; then its tools go without, and the next run asks again. */
async function keepAnswer(
  { tools, prompt }: HintRequest,
  {
    flags,
    kept,
    complete,
  }: Pick<Asking, 'flags' | 'kept'> & { readonly complete: (prompt: string) => Promise<string> },
): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const text = await complete(prompt);
    try {
      for (const [tool, hints] of readAnswer(text, tools)) {
        kept.set(tool.id, { hash: hashTool(tool), model: flags.model, prompt: PROMPT_VERSION, hints });
      }
      return;
    } catch {
      // Models that write prose around their JSON, or cut it off, mostly do better the second time.
    }
  }
}

async function connect(flags: EnrichFlags, { io }: CommandContext): Promise<(prompt: string) => Promise<string>> {
  const { config } = loadSettings({ ...(flags.config === undefined ? {} : { config: flags.config }) }, io.env);
  const upstream = resolveUpstream(config.upstreams, flags.model, { env: io.env });
  if (upstream === undefined) {
    throw new InputError(
      `No upstream of the settings serves the model "${flags.model}". Add one to upstreams in quartermaster.yaml.`,
    );
  }
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
      // Sorted, so that another run splits them in the same halves and comes to the same end.
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

/** Written beside the file first, so that a stop in between leaves the old one. */
function saveHints(path: string, kept: ReadonlyMap<string, HintsEntry>): void {
  const tools = Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1)));
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ version: 1, tools } satisfies HintsFile, undefined, 2)}\n`);
  renameSync(temporary, path);
}

function describePlan(plan: EnrichPlan, { model, inputPrice, outputPrice }: EnrichFlags): string {
  const lines = [
    `${counted(plan.asked, 'tool')} to ask ${model} about, in ${counted(plan.requests.length, 'request')}.`,
  ];
  if (plan.known > 0) lines.push(`${counted(plan.known, 'tool')} with hints already.`);
  if (plan.passedOver > 0) lines.push(`${counted(plan.passedOver, 'tool')} with a good description passed over.`);
  if (plan.asked > 0) {
    const tokens = `About ${count(plan.inputTokens)} tokens in and up to ${count(plan.outputTokens)} out`;
    const money =
      inputPrice === undefined || outputPrice === undefined
        ? '; give --input-price and --output-price to see it in money.'
        : `: about $${((plan.inputTokens * inputPrice + plan.outputTokens * outputPrice) / 1e6).toFixed(2)}.`;
    lines.push(tokens + money);
  }
  return `${lines.join('\n')}\n`;
}

function describeResult(snapshot: Snapshot, kept: ReadonlyMap<string, HintsEntry>, { out }: EnrichFlags): string {
  const entries = snapshot.tools.flatMap((tool) => kept.get(tool.id) ?? []);
  const hints = entries.reduce((sum, entry) => sum + entry.hints.length, 0);
  const rejected = entries.reduce((sum, entry) => sum + (entry.rejected?.length ?? 0), 0);
  const lacking = snapshot.tools.length - entries.length;
  return [
    `${counted(hints, 'hint')} for ${counted(entries.length, 'tool')} in ${out}, ${count(rejected)} rejected.`,
    ...(lacking > 0 ? [`${counted(lacking, 'tool')} without hints.`] : []),
    `To use them: "search: { hints: ${out} }" in quartermaster.yaml, or --hints ${out}.`,
  ].join('\n');
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

const MOST_TOKENS = 4_096;
const PATIENCE_MS = 180_000;
