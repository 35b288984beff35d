import { describe, expect, it } from 'vitest';
import {
  createMemorySessionStore,
  type HookCallback,
  type HookEvent,
  type HookInput,
  type HookJSONOutput,
  type Options,
} from './index.ts';
import { ask, calling } from './testing/ask.fixture.ts';
import { initOf, resultOf, resultsIn } from './testing/collect.fixture.ts';

const MAIL = 'mcp__office__send_mail';

/** Hooks that answer the same each time, and what they were told. */
function watching(events: Partial<Record<HookEvent, HookJSONOutput>>): { options: Options; seen: HookInput[] } {
  const seen: HookInput[] = [];
  const answer =
    (output: HookJSONOutput): HookCallback =>
    (input) => {
      seen.push(input);
      return output;
    };
  const hooks = Object.entries(events).map(([event, output]) => [event, [{ hooks: [answer(output)] }]]);
  return { options: { hooks: Object.fromEntries(hooks) }, seen };
}

describe('lifecycle hooks', () => {
  it('are called in order, with what they are about', async () => {
    const { options, seen } = watching({ SessionStart: {}, UserPromptSubmit: {}, Stop: {}, SessionEnd: {} });
    const { messages } = await ask([{ text: 'Done.' }], options);
    const about = { session_id: initOf(messages).session_id, cwd: process.cwd(), permission_mode: 'default' };
    expect(seen).toMatchObject([
      { ...about, hook_event_name: 'SessionStart', source: 'startup', model: expect.any(String) },
      { ...about, hook_event_name: 'UserPromptSubmit', prompt: 'Do it' },
      { ...about, hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'Done.' },
      { ...about, hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' },
    ]);
  });

  it('are given whether a session is resumed or forked', async () => {
    const sessions = createMemorySessionStore();
    const kept = { sessions, persistSession: true };
    const { messages } = await ask([{ text: 'Hi.' }], kept);
    const resume = initOf(messages).session_id;
    const { options, seen } = watching({ SessionStart: {} });
    await ask([{ text: 'Hi.' }], { ...kept, ...options, resume });
    await ask([{ text: 'Hi.' }], { ...kept, ...options, resume, forkSession: true });
    expect(seen).toMatchObject([{ source: 'resume' }, { source: 'fork' }]);
  });

  it('may add to the first prompt, and to each', async () => {
    const told = (event: HookEvent, additionalContext: string) => ({
      hookSpecificOutput: { hookEventName: event, additionalContext },
    });
    const { options } = watching({
      SessionStart: told('SessionStart', 'It is Monday.'),
      UserPromptSubmit: told('UserPromptSubmit', 'Be brief.'),
    });
    const { upstream } = await ask([{ text: 'Done.' }], options);
    expect(JSON.stringify(upstream.requests[0]?.messages)).toMatch(/Do it.*It is Monday\..*Be brief\./);
  });

  it('may refuse a prompt, which then never reaches the model', async () => {
    const { options } = watching({ UserPromptSubmit: { decision: 'block', reason: 'Not today.' } });
    const { messages, upstream } = await ask([{ text: 'Done.' }], options);
    expect(resultOf(messages)).toMatchObject({
      subtype: 'error_during_execution',
      errors: ['The prompt was refused by a hook: Not today.'],
    });
    expect(upstream.requests).toEqual([]);
    await expect(
      ask([], watching({ SessionStart: { continue: false, stopReason: 'Closed.' } }).options),
    ).rejects.toThrow('A hook refused the session: Closed.');
  });

  it('may have the model go on when it wants to stop', async () => {
    const stop: HookCallback = (input) =>
      input.hook_event_name === 'Stop' && !input.stop_hook_active ? { decision: 'block', reason: 'Check it.' } : {};
    const { messages, upstream } = await ask([{ text: 'Done.' }, { text: 'Checked.' }], {
      hooks: { Stop: [{ hooks: [stop] }] },
    });
    expect(resultOf(messages)).toMatchObject({ result: 'Checked.', num_turns: 2 });
    expect(JSON.stringify(upstream.requests[1]?.messages.at(-1))).toContain('Check it.');
  });

  it('that never let the model stop end at maxTurns', async () => {
    const { options } = watching({ Stop: { decision: 'block', reason: 'Again.' } });
    const { messages } = await ask(Array(9).fill({ text: 'Done.' }), { ...options, maxTurns: 3 });
    expect(resultOf(messages)).toMatchObject({ subtype: 'error_max_turns' });
  });

  it('that fail while they only look on end nothing, and the process is warned', async () => {
    const warned: string[] = [];
    const warn = (warning: Error): void => void warned.push(warning.message);
    process.on('warning', warn);
    const fail: HookCallback = () => {
      throw new Error('oops');
    };
    const { messages } = await ask([{ text: 'Done.' }], { hooks: { Stop: [{ hooks: [fail] }] } });
    expect(resultOf(messages).subtype).toBe('success');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warned).toContain('A Stop hook failed: oops');
  });

  it('may decide in place of canUseTool, which is announced otherwise', async () => {
    const decide = (decision: object) =>
      watching({
        PermissionRequest: { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } as never },
      });
    const result = async (options: Options) =>
      resultsIn((await ask(calling(MAIL, { text: 'hi' }), options)).messages)[0];
    const allowing = decide({ behavior: 'allow', updatedInput: { text: 'bye' } });
    expect(await result(allowing.options)).toEqual({ text: 'send_mail: bye', isError: false });
    expect(allowing.seen).toMatchObject([{ tool_name: MAIL, tool_input: { text: 'hi' } }]);
    expect(await result(decide({ behavior: 'deny', message: 'No.' }).options)).toEqual({ text: 'No.', isError: true });

    const { options, seen } = watching({ Notification: {}, PermissionRequest: {} });
    const canUseTool: Options['canUseTool'] = async () => ({ behavior: 'allow' });
    expect(await result({ ...options, canUseTool })).toMatchObject({ isError: false });
    expect(seen.map(({ hook_event_name: event }) => event)).toEqual(['PermissionRequest', 'Notification']);
    expect(seen[1]).toMatchObject({ notification_type: 'permission_prompt', message: expect.stringContaining(MAIL) });
    expect(await result({ ...options, allowedTools: [MAIL] })).toMatchObject({ isError: false });
    expect(seen).toHaveLength(2);
  });

  it('are asked before a conversation is compacted, and may keep it as it is', async () => {
    const long = `First ${'lorem ipsum dolor sit amet '.repeat(140)}`;
    const begin = async (options: Options) => {
      const sessions = createMemorySessionStore();
      const kept = { sessions, persistSession: true, contextTokens: 1_000 };
      const { messages } = await ask([{ text: long }], { ...kept, contextTokens: 100_000 });
      const resume = initOf(messages).session_id;
      return ask([{ text: 'A summary.' }, { text: 'Done.' }], { ...kept, ...options, resume });
    };
    const passing = watching({ PreCompact: {} });
    const compacted = await begin(passing.options);
    expect(passing.seen).toMatchObject([{ hook_event_name: 'PreCompact', trigger: 'auto' }]);
    expect(compacted.messages.some((message) => 'subtype' in message && message.subtype === 'compact_boundary')).toBe(
      true,
    );
    const kept = await begin(watching({ PreCompact: { decision: 'block' } }).options);
    expect(kept.messages.some((message) => 'subtype' in message && message.subtype === 'compact_boundary')).toBe(false);
    expect(JSON.stringify(kept.upstream.requests[0]?.messages)).toContain('First');
  });
});
