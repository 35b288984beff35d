import { describe, expect, it } from 'vitest';
import { readServersState } from '../servers/servers-state.ts';
import { readPlaygroundState } from './playground-state.ts';

describe('a link that people typed', () => {
  it('keeps words that the router reads as numbers or truth values', () => {
    expect(readPlaygroundState({ q: 404, catalog: 2026, tool: true, limit: 10 })).toEqual({
      ...{ q: '404', catalog: '2026', tool: 'true', limit: 10 },
    });
    expect(readServersState({ q: 404, catalog: 2026 })).toEqual({ q: '404', catalog: '2026' });
  });

  it('leaves out what it cannot mean', () => {
    expect(readPlaygroundState({ q: '', limit: 500, engine: 'other', tool: {} })).toEqual({});
  });
});
