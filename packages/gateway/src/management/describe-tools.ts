import { setImmediate } from 'node:timers/promises';
import { createToolbox, type Snapshot, type Tool } from '@quartermaster/core';
import { NAME_TEMPLATES, type Policy } from '@quartermaster/core/catalog';
import { FORMS } from '@quartermaster/core/disclosure';
import { contextWindow, DEFAULT_GATE_SETTINGS, snapshotTokens, type ToolUse } from '@quartermaster/core/gate';
import { createSnapshotInSteps, cutText, memoized, readAhead, runInSlices } from '@quartermaster/core/internal';
import { findSuspicions, type ServerStatus, type Suspicion } from '@quartermaster/mcp';

/** What people should look at in a definition: the findings of the linter and of the trust check. */
export interface ToolFinding {
  readonly kind: 'lint' | 'trust';
  readonly rule: string;
  readonly level: 'error' | 'warning';
  readonly message: string;
  /** A better description, if the linter has one. */
  readonly suggestion?: string;
}

/** Checks some definitions of a catalog, each by itself. */
export type Linter = (tools: readonly Tool[]) => readonly (Omit<ToolFinding, 'kind'> & { readonly tool: string })[];

/** A tool in the list of tools. */
export interface ToolFacts {
  readonly tool: string;
  readonly server?: string;
  readonly name: string;
  readonly model_name: string;
  readonly description: string;
  /** The tokens of its definition in a prompt. */
  readonly tokens: number;
  readonly policy: Policy;
  readonly calls: number;
  readonly findings: readonly ToolFinding[];
}

export interface DescribedTools {
  readonly tools: readonly ToolFacts[];
  /** Of the tools that were called. */
  readonly uses: readonly ToolUse[];
  /** Of all definitions in a prompt. */
  readonly tokens: number;
  readonly deferredTokens: number;
}

/** A list of thousands of descriptions is sent whole: each is cut to what a row shows. */
const MOST_CHARACTERS = 240;
/** Tools between two turns of the event loop. */
const STEP = 100;

export async function describeTools(
  tools: readonly Tool[],
  options: {
    readonly lint: Linter | undefined;
    /** The hub's findings, by tool; otherwise the definitions are checked here. */
    readonly suspicions?: ServerStatus['suspicions'];
    readonly calls: ReadonlyMap<string, number>;
  },
): Promise<DescribedTools> {
  const snapshot = await snapshotOf(tools);
  await readAhead(snapshot);
  const { byTool, total } = snapshotTokens(snapshot);
  const findings = await findAll(snapshot.tools, options);
  const facts: ToolFacts[] = [];
  const uses: ToolUse[] = [];
  for (const [at, tool] of snapshot.tools.entries()) {
    if (at > 0 && at % STEP === 0) await setImmediate();
    const calls = options.calls.get(snapshot.modelName(tool)) ?? 0;
    if (calls > 0) uses.push({ tool: tool.id, calls });
    facts.push({
      tool: tool.id,
      ...(tool.server === undefined ? {} : { server: tool.server }),
      name: tool.name,
      model_name: snapshot.modelName(tool),
      description: cutText(tool.description, MOST_CHARACTERS),
      tokens: byTool.get(tool) ?? 0,
      policy: tool.policy,
      calls,
      findings: findings.get(tool.id) ?? [],
    });
  }
  return { tools: facts, uses, tokens: total, deferredTokens: await deferredTokensOf(snapshot) };
}

/** What a prompt contains in place of the definitions: our own tools, and those that are always sent in full. */
const deferredTokensOf = memoized(async (snapshot: Snapshot): Promise<number> => {
  const settings = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' } } as const;
  const toolbox = createToolbox({ tools: snapshot, settings });
  const plan = await runInSlices(toolbox.planInSteps(contextWindow({}), { form: FORMS.bridge }));
  return plan.tokens.after;
});

const snapshots = new WeakMap<readonly Tool[], Promise<Snapshot>>();

/** Created once per cached list, which is read again and again. */
function snapshotOf(tools: readonly Tool[]): Promise<Snapshot> {
  const options = { nameTemplate: NAME_TEMPLATES.proxy, onDuplicate: 'first', maxTools: tools.length } as const;
  const known = snapshots.get(tools);
  if (known !== undefined) return known;
  const made = runInSlices(createSnapshotInSteps(tools, options));
  snapshots.set(tools, made);
  // A failure is not cached: the next reader tries again.
  made.catch(() => snapshots.delete(tools));
  return made;
}

async function findAll(
  tools: readonly Tool[],
  { lint, suspicions }: { readonly lint: Linter | undefined; readonly suspicions?: ServerStatus['suspicions'] },
): Promise<ReadonlyMap<string, readonly ToolFinding[]>> {
  const found = new Map<string, readonly ToolFinding[]>();
  const add = (tool: string, findings: readonly ToolFinding[]): void => {
    if (findings.length > 0) found.set(tool, [...(found.get(tool) ?? []), ...findings]);
  };
  for (const { tool, ...suspicion } of suspicions ?? []) add(tool, [trustFinding(suspicion)]);
  for (let start = 0; start < tools.length; start += STEP) {
    if (start > 0) await setImmediate();
    const some = tools.slice(start, start + STEP);
    if (suspicions === undefined) for (const tool of some) add(tool.id, trustFindings(tool));
    if (lint === undefined) continue;
    lintAll(some, lint);
    for (const tool of some) add(tool.id, linted.get(tool) ?? []);
  }
  return found;
}

const linted = new WeakMap<Tool, readonly ToolFinding[]>();

/** Each definition once: a list is read again and again, and seldom changes. */
function lintAll(tools: readonly Tool[], lint: Linter): void {
  const fresh = tools.filter((tool) => !linted.has(tool));
  if (fresh.length === 0) return;
  const found = new Map<string, ToolFinding[]>();
  for (const { tool, ...finding } of lint(fresh)) {
    found.set(tool, [...(found.get(tool) ?? []), { kind: 'lint', ...finding }]);
  }
  for (const tool of fresh) linted.set(tool, found.get(tool.id) ?? []);
}

const trustFindings = memoized(({ name, description, schema }: Tool): readonly ToolFinding[] =>
  findSuspicions({ name, description, inputSchema: schema }).map(trustFinding),
);

/** What a finding of the trust check means. */
const MEANINGS: Readonly<Record<Suspicion['kind'], string>> = {
  'hidden-characters': 'Contains invisible characters',
  'bidirectional-controls': 'Contains control characters that change the text direction',
  'html-comment': 'Contains a comment that people don’t see but models read',
  instruction: 'Gives the model instructions beyond describing the tool',
  'look-alike-name': 'Its name looks like that of another server’s tool',
};

export function trustFinding({ kind, at, excerpt }: Suspicion): ToolFinding {
  return { kind: 'trust', rule: kind, level: 'error', message: `${MEANINGS[kind]}, in ${at}: ${excerpt}` };
}
