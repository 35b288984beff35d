import { describe, expect, it } from 'vitest';
import { sessionServer } from '../mcp/mcp-servers.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { asking, CALL_THEN_TELL, CONTACTS, THIS_MACHINE, until } from './connector.fixture.ts';

/** A server that hears of sessions that have ended, and may leave that unanswered. */
async function connectedTo({ isSilent }: { readonly isSilent: boolean }) {
  const parted: string[] = [];
  const crm = await sessionServer(CONTACTS, (request) => {
    if (request.method !== 'DELETE') return undefined;
    parted.push(request.headers.get('mcp-session-id') ?? '');
    return isSilent ? new Promise(() => undefined) : undefined;
  });
  const upstreams = scriptedUpstreams({ anthropic: CALL_THEN_TELL });
  const { anthropic } = await runningGateway({ upstreams, connector: THIS_MACHINE });
  const { messages } = anthropic.beta;
  return { crm, parted, messages };
}

describe('the session at a server that a request names', () => {
  it.each([
    ['of a response', false],
    ['of a response, though the server does not answer to that', true],
  ])('ends with the last call %s', async (_, isSilent) => {
    const { crm, parted, messages } = await connectedTo({ isSilent });
    const response = await messages.create(asking(crm.url));
    expect(response.stop_reason).toBe('end_turn');
    await until(() => parted.length > 0);
    expect(parted).toEqual([...crm.sessions]);
  });

  it('ends when tokens have been counted', async () => {
    const { crm, parted, messages } = await connectedTo({ isSilent: true });
    expect((await messages.countTokens(asking(crm.url))).input_tokens).toBeGreaterThan(0);
    await until(() => parted.length > 0);
    expect(parted).toEqual([...crm.sessions]);
  });
});
