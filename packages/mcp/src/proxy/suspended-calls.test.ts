import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.fixture.ts';
import { createSuspendedCalls, type Leg, type SuspendableCall } from './suspended-calls.ts';

const leg = (more: Partial<Leg> = {}): Leg => ({
  requestState: undefined,
  inputResponses: undefined,
  signal: new AbortController().signal,
  ...more,
});
const quiet = new AbortController().signal;

/** Asks for two names, one after the other. */
async function greet(call: SuspendableCall): Promise<{ text: string }> {
  const first = await call.ask({ method: 'elicitation/create', params: { message: 'First?' } }, quiet);
  const second = await call.ask({ method: 'elicitation/create', params: { message: 'Second?' } }, quiet);
  return { text: `${String(first.name)} and ${String(second.name)}` };
}

describe('createSuspendedCalls', () => {
  it('turns what a server asks into results, and what the client sends next into answers', async () => {
    const calls = createSuspendedCalls(manualClock());
    const first = await calls.serve(leg(), greet);
    expect(first).toEqual({
      resultType: 'input_required',
      inputRequests: { 'elicitation/create 1': { method: 'elicitation/create', params: { message: 'First?' } } },
      requestState: expect.any(String),
    });
    const requestState = String(first.requestState);
    const second = await calls.serve(
      leg({ requestState, inputResponses: { 'elicitation/create 1': { name: 'Ada' } } }),
      greet,
    );
    expect(second.requestState).toBe(requestState);
    const inputResponses = { 'elicitation/create 2': { name: 'Grace' } };
    expect(await calls.serve(leg({ requestState, inputResponses }), greet)).toEqual({ text: 'Ada and Grace' });
  });

  it('passes on a result without questions, and an error', async () => {
    const calls = createSuspendedCalls(manualClock());
    expect(await calls.serve(leg(), async () => ({ done: true }))).toEqual({ done: true });
    const failing = calls.serve(leg(), () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
  });

  it('gives up a call when its client cancels or does not return', async () => {
    const clock = manualClock();
    const calls = createSuspendedCalls(clock);
    const controller = new AbortController();
    const reasons: unknown[] = [];
    const wait = (call: SuspendableCall): Promise<never> =>
      new Promise((_, reject) => {
        call.signal.addEventListener('abort', () => {
          reasons.push(call.signal.reason);
          reject(call.signal.reason);
        });
      });
    const cancelled = calls.serve(leg({ signal: controller.signal }), wait);
    controller.abort('enough');
    await expect(cancelled).rejects.toBe('enough');

    await calls.serve(leg(), (call) => Promise.race([greet(call), wait(call)]));
    clock.advance(600_000);
    expect(reasons).toEqual(['enough', 'The client did not answer']);
    expect(clock.pending).toEqual([]);
  });

  it('asks again if a client refers to a call that has ended', async () => {
    const calls = createSuspendedCalls(manualClock());
    const result = await calls.serve(
      leg({ requestState: 'gone', inputResponses: { 'elicitation/create 1': {} } }),
      greet,
    );
    expect(result.resultType).toBe('input_required');
  });
});
