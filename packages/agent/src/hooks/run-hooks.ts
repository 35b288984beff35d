import { isJsonObject } from '@quartermaster/core/catalog';
import { checkOptionNames, untilAborted } from '@quartermaster/core/internal';
import { HOOK_ROWS } from '../contract/index.ts';
import { createDeadline } from '../deadline.ts';
import { invalidSetting } from '../invalid-setting.ts';
import {
  HOOK_EVENTS,
  type HookCallbackMatcher,
  type HookEvent,
  type HookInput,
  type HookJSONOutput,
  type HooksByEvent,
  matchedBy,
} from './hook.ts';

/** The time limit of a hook if its matcher sets none. */
const DEFAULT_TIMEOUT_S = 60;

/** Calls every hook for an event and a tool in parallel. Rejects if one fails or takes too long; the others are then aborted. */
export type RunHooks = (input: HookInput, signal: AbortSignal) => Promise<readonly HookJSONOutput[]>;

/** Throws a `SettingError` for an unknown event, an invalid pattern or an invalid timeout. */
export function createRunHooks(hooks: HooksByEvent): RunHooks {
  const unknown = Object.keys(hooks).find((event) => !HOOK_EVENTS.includes(event as HookEvent));
  if (unknown !== undefined) {
    const row = Object.hasOwn(HOOK_ROWS, unknown) ? HOOK_ROWS[unknown] : undefined;
    const problem =
      row === undefined ? `Unknown hook ${JSON.stringify(unknown)}` : `The hook ${unknown} is never called`;
    const advice = row === undefined ? '' : ` ${row.note}`;
    const allowed = `Allowed: ${HOOK_EVENTS.join(', ')}`;
    throw invalidSetting({ setting: 'hooks', value: unknown }, `${problem}.${advice} ${allowed}`);
  }
  const matchers = new Map(HOOK_EVENTS.map((event) => [event, readMatchers(event, hooks[event] ?? [])]));
  return async (input, signal) => {
    const matched = matchedBy(input);
    const fitting = (matchers.get(input.hook_event_name) ?? []).filter(
      ({ fits }) => matched === undefined || fits(matched),
    );
    const failed = new AbortController();
    const ended = AbortSignal.any([signal, failed.signal]);
    const answers = fitting.flatMap(({ matcher }) =>
      matcher.hooks.map((hook) => runOne(hook, matcher, { input, signal: ended })),
    );
    try {
      return (await Promise.all(answers)).filter((answer) => isJsonObject(answer));
    } catch (error) {
      failed.abort();
      throw error;
    }
  };
}

/** Hooks that only observe: a failure ends nothing, and is reported as a process warning. */
export async function runObservers(
  runHooks: RunHooks,
  input: HookInput,
  signal: AbortSignal,
): Promise<readonly HookJSONOutput[]> {
  try {
    return await runHooks(input, signal);
  } catch (error) {
    if (!signal.aborted) {
      const reason = error instanceof Error ? error.message : String(error);
      process.emitWarning(`A ${input.hook_event_name} hook failed: ${reason}`);
    }
    return [];
  }
}

/** What hooks add for the model. */
export function addedContexts(answers: readonly HookJSONOutput[]): readonly string[] {
  return answers.flatMap(({ hookSpecificOutput }) =>
    typeof hookSpecificOutput?.additionalContext === 'string' ? [hookSpecificOutput.additionalContext] : [],
  );
}

/** Why a hook objects; undefined if none does. */
export function blockReason(answers: readonly HookJSONOutput[]): string | undefined {
  const objecting = answers.find((answer) => answer.continue === false || answer.decision === 'block');
  return objecting === undefined ? undefined : (objecting.stopReason ?? objecting.reason ?? 'A hook objects.');
}

async function runOne(
  hook: HookCallbackMatcher['hooks'][number],
  { timeout = DEFAULT_TIMEOUT_S }: HookCallbackMatcher,
  { input, signal }: { readonly input: HookInput; readonly signal: AbortSignal },
): Promise<HookJSONOutput> {
  const deadline = createDeadline(timeout * 1_000);
  const limited = AbortSignal.any([signal, deadline.signal]);
  try {
    return await untilAborted(
      Promise.resolve(hook(input, 'tool_use_id' in input ? input.tool_use_id : undefined, { signal: limited })),
      limited,
    );
  } finally {
    deadline.clear();
  }
}

interface CompiledMatcher {
  readonly matcher: HookCallbackMatcher;
  readonly fits: (matched: string) => boolean;
}

function readMatchers(event: HookEvent, matchers: readonly HookCallbackMatcher[]): readonly CompiledMatcher[] {
  const setting = `hooks.${event}`;
  const refuse = (problem: string) => invalidSetting({ setting }, `${setting} ${problem}`);
  if (!Array.isArray(matchers)) throw refuse('is not a list of { matcher, hooks, timeout }');
  return (matchers as readonly HookCallbackMatcher[]).map((matcher) => {
    checkOptionNames(setting, matcher, 'matcher hooks timeout');
    if (typeof (matcher.matcher ?? '') !== 'string') {
      throw refuse(`has the matcher ${JSON.stringify(matcher.matcher)}; allowed: a string`);
    }
    if (Array.isArray(matcher.hooks) && matcher.hooks.every((hook) => typeof hook === 'function')) {
      return compileMatcher(matcher);
    }
    throw refuse('has an entry whose hooks are not a list of functions');
  });
}

function compileMatcher(matcher: HookCallbackMatcher): CompiledMatcher {
  const { timeout = DEFAULT_TIMEOUT_S } = matcher;
  if (!(timeout > 0)) {
    const problem = `A hook's timeout is ${timeout}; allowed: seconds above 0`;
    throw invalidSetting({ setting: 'hooks', value: timeout }, problem);
  }
  const text = matcher.matcher ?? '';
  if (text === '' || text === '*') return { matcher, fits: () => true };
  if (/^[\w|-]+$/.test(text)) {
    const names = text.split('|');
    return { matcher, fits: (name) => names.includes(name) };
  }
  try {
    const pattern = new RegExp(text, 'u');
    return { matcher, fits: (name) => pattern.test(name) };
  } catch (error) {
    const problem = `The hook matcher ${JSON.stringify(text)} is not a valid regular expression`;
    throw invalidSetting({ setting: 'hooks', value: text, cause: error }, problem);
  }
}
