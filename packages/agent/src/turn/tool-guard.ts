import type { Hooks, Tool, ToolOutcome } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { BeforeCall, HookContext, Resolved } from '@quartermaster/core/dispatch';
import { untilAborted } from '@quartermaster/core/internal';
import {
  addedContexts,
  type BaseHookInput,
  type HookInput,
  type HookJSONOutput,
  type RunHooks,
  runObservers,
} from '../hooks/index.ts';
import {
  type CanUseTool,
  decidePermission,
  notAllowed,
  type PermissionMode,
  readPermissionResult,
  type ToolRules,
} from '../permissions/index.ts';
import type { SDKPermissionDenial } from '../sdk-message.ts';

export interface GuardOptions {
  readonly runHooks: RunHooks;
  readonly allowed: ToolRules;
  readonly disallowed: ToolRules;
  readonly mode: () => PermissionMode;
  readonly isLocal: (server: string) => boolean;
  /** Whether a tool is a built-in one that changes files. */
  readonly editsFiles: (tool: Tool) => boolean;
  readonly canUseTool?: CanUseTool | undefined;
  /** Fields that every hook receives. */
  readonly about: () => BaseHookInput;
}

/** Checks every call before it runs, and every result after. */
export interface ToolGuard {
  readonly hooks: Hooks;
  /** The denials since the last time it was asked. */
  takeDenials(): readonly SDKPermissionDenial[];
  /** Takes over the denials of a subagent. */
  addDenials(denials: readonly SDKPermissionDenial[]): void;
  /** Why the turn must end, if a hook or a person said so since the last time it was asked. */
  takeStop(): string | undefined;
}

/** Hooks first, then rules and the mode, then `canUseTool`: all of them see the real tool. */
export function createToolGuard(options: GuardOptions): ToolGuard {
  const { runHooks, canUseTool } = options;
  /** What hooks before a call add to its result. Keyed by the call's context, because hosts reuse ids and not every call is made. */
  const notes = new WeakMap<HookContext, readonly string[]>();
  let denials: SDKPermissionDenial[] = [];
  let stop: string | undefined;

  const recordDenial = (call: Resolved): void => {
    denials.push({ tool_name: call.name, tool_use_id: call.id, tool_input: call.arguments });
  };
  const deny = (call: Resolved, reason: string): BeforeCall => {
    recordDenial(call);
    return { kind: 'deny', reason };
  };
  const noteStop = (answers: readonly HookJSONOutput[]): void => {
    const ending = answers.find((answer) => answer.continue === false);
    if (ending !== undefined) stop ??= ending.stopReason ?? 'A hook ended the turn.';
  };
  const inputOf = (call: Resolved) => ({
    ...options.about(),
    tool_name: call.name,
    tool_input: call.arguments,
    tool_use_id: call.id,
  });

  const judge: NonNullable<Hooks['beforeCall']> = async (call, context) => {
    const { signal } = context;
    const answers = await runHooks({ ...inputOf(call), hook_event_name: 'PreToolUse' }, signal);
    noteStop(answers);
    const denial = answers.find((answer) => decisionOf(answer) === 'deny');
    if (denial !== undefined) return deny(call, reasonOf(denial) ?? `${call.name} was not called: a hook denied it.`);
    if (stop !== undefined) return deny(call, `${call.name} was not called: ${stop}`);
    const pass = (arguments_: JsonObject): BeforeCall | undefined => {
      // Changed arguments must also pass the rules that deny.
      if (options.disallowed(call.tool, call.name, arguments_)) return deny(call, notAllowed(call.name));
      const told = addedContexts(answers);
      if (told.length > 0) notes.set(context, told);
      return changed(call, arguments_);
    };
    const given = answers.findLast((answer) => isJsonObject(answer.hookSpecificOutput?.updatedInput));
    const input = (given?.hookSpecificOutput?.updatedInput as JsonObject | undefined) ?? call.arguments;
    const permission = decidePermission({
      tool: call.tool,
      name: call.name,
      mode: options.mode(),
      isAllowed: options.allowed(call.tool, call.name, input),
      isDisallowed: options.disallowed(call.tool, call.name, input),
      editsFiles: options.editsFiles(call.tool),
      isLocal: options.isLocal(call.tool.server ?? ''),
      hook: hookDecision(answers),
    });
    if (permission.kind === 'deny') return deny(call, permission.reason);
    if (permission.kind === 'allow') return pass(input);
    const requested = await runHooks(
      { ...inputOf(call), hook_event_name: 'PermissionRequest', tool_input: input },
      signal,
    );
    noteStop(requested);
    const decision = requestDecision(requested);
    if (decision?.behavior === 'allow') return pass((decision.updatedInput as JsonObject | undefined) ?? input);
    if (decision !== undefined) {
      const message = decision.message ?? `${call.name} was not called: a hook denied it.`;
      if (decision.interrupt === true) stop ??= message;
      return deny(call, message);
    }
    if (canUseTool === undefined) {
      return deny(call, `${call.name} was not called: it is not among the allowed tools, and no one can be asked.`);
    }
    const message = `Permission is needed to use ${call.name}`;
    const notification = { hook_event_name: 'Notification', notification_type: 'permission_prompt', message } as const;
    noteStop(await runObservers(runHooks, { ...options.about(), ...notification }, signal));
    const asked = canUseTool(call.name, input, { signal, toolUseID: call.id, suggestions: [] });
    const result = readPermissionResult(await untilAborted(Promise.resolve(asked), signal));
    if (result.behavior === 'allow') return pass((result.updatedInput as JsonObject | undefined) ?? input);
    if (result.interrupt === true) stop ??= result.message;
    return deny(call, result.message);
  };

  const hooks: Hooks = {
    async beforeCall(call, context) {
      try {
        return await judge(call, context);
      } catch (error) {
        // The dispatcher then refuses the call. An aborted call has ended; it was not denied.
        if (!context.signal.aborted) recordDenial(call);
        throw error;
      }
    },
    async afterCall(call, outcome, context) {
      const before = notes.get(context) ?? [];
      const answers = await runHooks(afterInput(inputOf(call), outcome), context.signal);
      noteStop(answers);
      const replaced = answers.findLast((answer) => answer.hookSpecificOutput?.updatedMCPToolOutput !== undefined);
      const blocked = answers.flatMap((answer) => (answer.decision === 'block' ? [reasonOf(answer) ?? ''] : []));
      const told = [...before, ...addedContexts(answers), ...blocked].filter((text) => text !== '');
      const result = replaced === undefined ? outcome : { ...outcome, ...toOutcome(replaced) };
      return told.length === 0 ? result : withNotes(result, told);
    },
  };
  return {
    hooks,
    takeDenials() {
      const taken = denials;
      denials = [];
      return taken;
    },
    addDenials(others) {
      denials.push(...others);
    },
    takeStop() {
      const taken = stop;
      stop = undefined;
      return taken;
    },
  };
}

type CallInput = Omit<Extract<HookInput, { readonly hook_event_name: 'PreToolUse' }>, 'hook_event_name'>;

function afterInput(input: CallInput, outcome: ToolOutcome): HookInput {
  return outcome.isError
    ? { ...input, hook_event_name: 'PostToolUseFailure', error: outcome.text }
    : { ...input, hook_event_name: 'PostToolUse', tool_response: outcome.value ?? outcome.text };
}

function changed(call: Resolved, input: JsonObject): BeforeCall | undefined {
  return input === call.arguments ? undefined : { kind: 'change', arguments: input };
}

/** `ask` wins over `allow`: of several hooks the most careful one counts. */
function hookDecision(answers: readonly HookJSONOutput[]): 'allow' | 'ask' | undefined {
  const decisions = answers.map(decisionOf);
  if (decisions.includes('ask')) return 'ask';
  return decisions.includes('allow') ? 'allow' : undefined;
}

function decisionOf({ hookSpecificOutput, decision }: HookJSONOutput): 'allow' | 'deny' | 'ask' | undefined {
  if (hookSpecificOutput?.permissionDecision !== undefined) return hookSpecificOutput.permissionDecision;
  if (decision === 'block') return 'deny';
  return decision === 'approve' ? 'allow' : undefined;
}

function reasonOf({ hookSpecificOutput, reason }: HookJSONOutput): string | undefined {
  return hookSpecificOutput?.permissionDecisionReason ?? reason;
}

/** A denial wins over a permission. */
function requestDecision(answers: readonly HookJSONOutput[]): PermissionResultOfHook | undefined {
  const decisions = answers.flatMap(({ hookSpecificOutput }) => hookSpecificOutput?.decision ?? []);
  return (
    decisions.find(({ behavior }) => behavior === 'deny') ?? decisions.find(({ behavior }) => behavior === 'allow')
  );
}

type PermissionResultOfHook = NonNullable<NonNullable<HookJSONOutput['hookSpecificOutput']>['decision']>;

function toOutcome({ hookSpecificOutput }: HookJSONOutput): Pick<ToolOutcome, 'text' | 'value'> {
  const value = hookSpecificOutput?.updatedMCPToolOutput;
  return { text: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), value };
}

/** Added to the result, as separate blocks if it has blocks. */
function withNotes(outcome: ToolOutcome, notes: readonly string[]): ToolOutcome {
  const { value } = outcome;
  const text = [outcome.text, ...notes].join('\n\n');
  if (!isJsonObject(value) || !Array.isArray(value.content)) return { ...outcome, text, value: text };
  const blocks = notes.map((note) => ({ type: 'text', text: note }));
  return { ...outcome, text, value: { ...value, content: [...(value.content as readonly JsonObject[]), ...blocks] } };
}
