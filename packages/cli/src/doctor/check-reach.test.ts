import { join } from 'node:path';
import { INSIGHT_DEFAULTS } from '@quartermaster/host/config';
import { INSIGHT_COUNTS, type InsightCell, type InsightCounts, openStore } from '@quartermaster/host/store';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../serving/running-command.fixture.ts';
import { checkReach } from './check-reach.ts';

const NO_COUNTS = Object.fromEntries(INSIGHT_COUNTS.map((count) => [count, 0])) as unknown as InsightCounts;

async function checked(cells: readonly Partial<InsightCell>[], keep: 'off' | 'counts' = 'counts') {
  const path = join(temporaryFolder(), 'store.db');
  const store = await openStore({ path });
  const day = new Date().toISOString().slice(0, 10);
  const place = { day, owner: '', model: 'm', form: 'bridge', catalog: '' };
  await store.insight.add({ cells: cells.map((cell) => ({ ...NO_COUNTS, ...place, ...cell })), records: [] });
  await store.close();
  return checkReach({
    store: { location: { path }, encryptionKeys: [], auditDays: 365 },
    insight: { ...INSIGHT_DEFAULTS, keep },
  });
}

describe('reach', () => {
  it('is a problem for a model that seldom searches, with what to do about it', async () => {
    const checks = await checked([
      { model: 'small', neither: 30, searched: 10 },
      { model: 'large', searched: 29, neither: 1 },
    ]);
    expect(checks).toMatchObject([
      {
        status: 'problem',
        message: 'small (bridge): of 40 responses, 10 searched, 0 called a tool without searching, 30 did neither',
      },
      { status: 'ok' },
    ]);
    expect(checks[0]?.fix).toContain('deferral: adaptive');
  });

  it('needs enough recorded responses for a judgement', async () => {
    expect(await checked([{ neither: 5 }])).toMatchObject([{ status: 'ok' }]);
    expect(await checked([])).toMatchObject([{ status: 'note' }]);
    expect(await checked([{ neither: 30 }], 'off')).toEqual([]);
  });
});
