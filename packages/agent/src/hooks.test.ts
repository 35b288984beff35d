import { defined } from '@quartermaster/core/internal';
import { scripted } from '@quartermaster/host/upstream';
import { describe, expect, it } from 'vitest';
import {
  createSdkMcpServer,
  type HookCallback,
  type HookInput,
  type HookJSONOutput,
  type Options,
  query,
} from './index.ts';
import { ask, calling } from './testing/ask.fixture.ts';
import { collect, resultOf, resultsIn } from './testing/collect.fixture.ts';
import { echo, office } from './testing/servers.fixture.ts';

const MAIL = 'mcp__office__send_mail';
const ALLOWED = { allowedTools: ['*'] };

function preHook(output: HookJSONOutput['hookSpecificOutput'] | HookJSONOutput, matcher?: string): Options {
  const answer = (
    output !== undefined && 'hookEventName' in output ? { hookSpecificOutput: output } : output
  ) as HookJSONOutput;
  return { hooks: { PreToolUse: [{ ...defined({ matcher }), hooks: [async () => answer] }] } };
}

function postHook(answer: HookJSONOutput): Options {
  return { hooks: { PostToolUse: [{ hooks: [async () => answer] }] } };
}

async function firstResult(
  options: Options,
): Promise<{ readonly text: string; readonly isError: boolean } | undefined> {
  return resultsIn((await ask(calling(MAIL, { text: 'hi' }), options)).messages)[0];
}

describe('hooks', () => {
  it('see the real tool, before and after, and nothing of the search', async () => {
    const seen: HookInput[] = [];
    const note: HookCallback = async (input, toolUseID) => {
      seen.push(input);
      expect(toolUseID).toBe('tool_use_id' in input ? input.tool_use_id : undefined);
      return {};
    };
    const hooks = { PreToolUse: [{ hooks: [note] }], PostToolUse: [{ hooks: [note] }] };
    // Over a transport that knows functions only.
    const plain = scripted({
      dialect: 'anthropic',
      turns: [
        { calls: [{ name: 'tool_search', input: { query: 'mail' } }] },
        { calls: [{ name: MAIL, input: { text: 'hi' } }] },
        { text: 'Done.' },
      ],
    });
    const options = { mcpServers: { office: office() }, persistSession: false, hooks, ...ALLOWED };
    await collect(query({ prompt: 'Mail', options: { ...options, upstream: { ...plain, transport: 'ai-sdk' } } }));
    expect(seen.map((input) => [input.hook_event_name, 'tool_name' in input ? input.tool_name : undefined])).toEqual([
      ['PreToolUse', MAIL],
      ['PostToolUse', MAIL],
    ]);
    expect(seen[0]).toMatchObject({ tool_input: { text: 'hi' }, permission_mode: 'default', cwd: process.cwd() });
    expect(seen[1]).toMatchObject({ tool_response: { content: [{ type: 'text', text: 'send_mail: hi' }] } });
  });

  it.each([
    [undefined, true],
    ['*', true],
    [MAIL, true],
    [`other|${MAIL}`, true],
    ['^mcp__office__', true],
    ['mcp__office__send', false],
    ['mcp__office-2__send_mail|mcp__office__send', false],
    ['mcp__.*__get_', false],
  ])('are called for the tools that their matcher %s names', async (matcher, isCalled) => {
    const denied = await firstResult({ ...ALLOWED, ...preHook({ decision: 'block', reason: 'No.' }, matcher) });
    expect(denied?.text === 'No.').toBe(isCalled);
  });

  it('are not called for a tool whose name only begins like one with a hyphen', async () => {
    const tools = ['read', 'read_secrets'].map((name) => echo(name, `Does ${name}.`));
    const allow = preHook({ hookEventName: 'PreToolUse', permissionDecision: 'allow' }, 'mcp__my-office__read');
    const options = { ...allow, mcpServers: { 'my-office': createSdkMcpServer({ name: 'my-office', tools }) } };
    const outcome = async (name: string) => resultsIn((await ask(calling(name), options)).messages)[0]?.isError;
    expect(await outcome('mcp__my-office__read')).toBe(false);
    expect(await outcome('mcp__my-office__read_secrets')).toBe(true);
  });

  it('may deny, with a reason for the model', async () => {
    const output = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'Not now.',
    } as const;
    const { messages } = await ask(calling(MAIL), { permissionMode: 'bypassPermissions', ...preHook(output) });
    expect(resultsIn(messages)).toEqual([{ text: 'Not now.', isError: true }]);
    expect(resultOf(messages).permission_denials).toMatchObject([{ tool_name: MAIL }]);
  });

  it('may allow what no rule allows, but not what is disallowed', async () => {
    const output = { hookEventName: 'PreToolUse', permissionDecision: 'allow' } as const;
    expect(await firstResult(preHook(output))).toEqual({ text: 'send_mail: hi', isError: false });
    expect(await firstResult({ ...preHook(output), disallowedTools: ['mcp__office'] })).toMatchObject({
      isError: true,
    });
  });

  it('may ask for a person where a rule would let pass', async () => {
    const output = { hookEventName: 'PreToolUse', permissionDecision: 'ask' } as const;
    const canUseTool: Options['canUseTool'] = async () => ({ behavior: 'deny', message: 'The person said no.' });
    expect((await firstResult({ ...ALLOWED, ...preHook(output), canUseTool }))?.text).toBe('The person said no.');
    const bypassing = { permissionMode: 'bypassPermissions', ...preHook(output) } as const;
    expect((await firstResult({ ...bypassing, canUseTool }))?.text).toBe('The person said no.');
    expect((await firstResult(bypassing))?.text).toContain('no one can be asked');
  });

  it('may change the arguments, which are checked again', async () => {
    const change = (updatedInput: Record<string, unknown>) => preHook({ hookEventName: 'PreToolUse', updatedInput });
    expect((await firstResult({ ...ALLOWED, ...change({ text: 'bye' }) }))?.text).toBe('send_mail: bye');
    expect((await firstResult({ ...ALLOWED, ...change({ text: { no: 'text' } }) }))?.text).toContain(
      'invalid_arguments',
    );
  });

  it('may add to a result, replace it, or speak against it', async () => {
    const added = postHook({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'By the way.' } });
    expect((await firstResult({ ...ALLOWED, ...added }))?.text).toBe('send_mail: hi\nBy the way.');
    const replaced = postHook({
      hookSpecificOutput: { hookEventName: 'PostToolUse', updatedMCPToolOutput: 'Nothing to see.' },
    });
    expect((await firstResult({ ...ALLOWED, ...replaced }))?.text).toBe('Nothing to see.');
    expect((await firstResult({ ...ALLOWED, ...postHook({ decision: 'block', reason: 'Wrong.' }) }))?.text).toContain(
      'Wrong.',
    );
  });

  it('may end the turn', async () => {
    const { messages } = await ask(calling(MAIL), {
      ...ALLOWED,
      ...postHook({ continue: false, stopReason: 'Enough.' }),
    });
    expect(resultOf(messages)).toMatchObject({ subtype: 'error_during_execution', errors: ['Enough.'] });
  });

  it('of their own are called when a tool has failed', async () => {
    const seen: unknown[] = [];
    const note: HookCallback = async (input) => {
      seen.push(input.hook_event_name === 'PostToolUseFailure' ? input.error : input.hook_event_name);
      return {};
    };
    const hooks = { PostToolUse: [{ hooks: [note] }], PostToolUseFailure: [{ hooks: [note] }] };
    const { create } = office();
    const failing = { type: 'in-process' as const, create: () => closing(create()) };
    await ask(calling(MAIL), { ...ALLOWED, hooks, mcpServers: { office: failing } });
    expect(seen).toEqual([expect.stringContaining('broken')]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('oops')), undefined],
    ['hangs', () => new Promise<HookJSONOutput>(() => {}), 0.01],
  ])('refuse a call when one %s', async (_what, hook, timeout) => {
    const hooks = { PreToolUse: [{ hooks: [hook], ...defined({ timeout }) }] };
    const { messages } = await ask(calling(MAIL), { ...ALLOWED, hooks });
    const text = `${MAIL} was not called: a check before the call failed.`;
    expect(resultsIn(messages)).toEqual([{ text, isError: true }]);
    expect(resultOf(messages).permission_denials).toMatchObject([{ tool_name: MAIL, tool_use_id: 'toolu_call_1' }]);
  });

  it('that are not known, and matchers that are no patterns, are refused at once', async () => {
    await expect(ask([], { hooks: { Stopp: [] } as never })).rejects.toThrow('Unknown hook "Stopp"');
    await expect(ask([], { hooks: { Setup: [] } as never })).rejects.toThrow('The hook Setup is never called');
    await expect(ask([], preHook({}, '('))).rejects.toThrow('The hook matcher "(" is not a valid regular expression');
    const never = { PreToolUse: [{ hooks: [], timeout: 0 }] };
    await expect(ask([], { hooks: never })).rejects.toThrow("A hook's timeout is 0");
  });

  it.each([1e9, Number.POSITIVE_INFINITY])('may be given all the time there is: %d seconds', async (timeout) => {
    const hooks = { PreToolUse: [{ hooks: [async () => ({})], timeout }] };
    expect(await firstResult({ ...ALLOWED, hooks })).toMatchObject({ isError: false });
  });

  it('tell a note with the call that it is about, though ids come again', async () => {
    let asked = 0;
    const note = { hookEventName: 'PreToolUse', additionalContext: 'A note.' } as const;
    // The first call is refused for its arguments after the hook has spoken; the second has the same id.
    const hook = async (): Promise<HookJSONOutput> =>
      ++asked === 1 ? { hookSpecificOutput: { ...note, updatedInput: { text: { no: 'string' } } } } : {};
    const call = { calls: [{ id: 'toolu_same', name: MAIL, input: { text: 'hi' } }] };
    const { messages } = await ask([call, call, { text: 'Done.' }], {
      ...ALLOWED,
      hooks: { PreToolUse: [{ hooks: [hook] }] },
    });
    expect(resultsIn(messages).map(({ text }) => text.includes('A note.'))).toEqual([false, false]);
  });
});

/** A server whose tools all fail. */
function closing<Server extends { server: { setRequestHandler: unknown } }>(server: Server): Server {
  const { server: inner } = server as unknown as {
    server: { setRequestHandler(method: string, handle: () => never): void };
  };
  inner.setRequestHandler('tools/call', () => {
    throw new Error('broken');
  });
  return server;
}
