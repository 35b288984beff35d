import { describe, expect, it } from 'vitest';
import { CLIENTS, NO_KEY } from './clients.ts';

const ORIGIN = 'http://127.0.0.1:8787';

describe('lines to paste', () => {
  it('have a place for the key where the file expands no variable', () => {
    for (const { place, lines } of CLIENTS.filter(({ place = '' }) => place.endsWith('.json'))) {
      expect(lines(ORIGIN), place).toContain('"Authorization": "Bearer YOUR_KEY"');
      expect(lines(ORIGIN, 'qm_1'), place).toContain('"Authorization": "Bearer qm_1"');
    }
  });

  it('read the key from the environment in the way of their language', () => {
    const of = (id: string): string => CLIENTS.find((client) => client.id === id)?.lines(ORIGIN) ?? '';
    expect(of('python')).toMatch(/^import os\n[\s\S]*"x-api-key": os\.environ\["QUARTERMASTER_KEY"\]\}/);
    expect(of('curl')).toContain('"x-api-key: $QUARTERMASTER_KEY"');
    expect(of('claude-code')).toContain('ANTHROPIC_AUTH_TOKEN="$QUARTERMASTER_KEY"');
  });

  it('hold a key that was just made, in Python as a string', () => {
    const python = CLIENTS.find(({ id }) => id === 'python')?.lines(ORIGIN, 'qm_1');
    expect(python).toMatch(/^import httpx\n[\s\S]*"x-api-key": "qm_1"\}/);
  });

  it('name no key where the gateway has none, but for clients that insist on one', () => {
    const named = CLIENTS.filter(({ lines }) => /key|bearer|token/i.test(lines(ORIGIN, NO_KEY)));
    expect(named.map(({ id }) => id)).toEqual(['claude-code', 'anthropic-sdk', 'openai-sdk', 'ai-sdk']);
    for (const { id, lines } of named) {
      expect(lines(ORIGIN, NO_KEY), id).toMatch(/"none"|'none'/);
      expect(lines(ORIGIN, NO_KEY), id).not.toContain('QUARTERMASTER_KEY');
    }
  });
});
