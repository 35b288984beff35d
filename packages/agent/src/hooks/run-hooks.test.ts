import { expect, it } from 'vitest';
import type { HookCallback, HookInput } from './hook.ts';
import { createRunHooks } from './run-hooks.ts';

const INPUT: HookInput = {
  hook_event_name: 'PreToolUse',
  session_id: 's',
  transcript_path: '',
  cwd: '/',
  permission_mode: 'default',
  tool_name: 'mcp__office__send_mail',
  tool_input: {},
  tool_use_id: 'call_1',
};

/** The timers for which the process stays. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

it('the process stays as long as a hook may take, and no longer', async () => {
  let during = 0;
  const hook = (): object => {
    during = timers();
    return {};
  };
  const runHooks = createRunHooks({ PreToolUse: [{ hooks: [hook] }] });
  const before = timers();
  await runHooks(INPUT, new AbortController().signal);
  expect(during).toBe(before + 1);
  expect(timers()).toBe(before);
});

it('a hook is aborted when another one has failed, and is not waited for', async () => {
  let told: AbortSignal | undefined;
  const hangs: HookCallback = (_input, _id, { signal }) => {
    told = signal;
    return new Promise(() => {});
  };
  const fails = (): Promise<never> => Promise.reject(new Error('broken'));
  const runHooks = createRunHooks({ PreToolUse: [{ hooks: [hangs, fails] }] });
  const before = timers();
  await expect(runHooks(INPUT, new AbortController().signal)).rejects.toThrow('broken');
  expect(told?.aborted).toBe(true);
  await new Promise<void>((resolve) => setImmediate(resolve));
  // Not the same number: a timer of the test runner may have ended meanwhile.
  expect(timers()).toBeLessThanOrEqual(before);
});
