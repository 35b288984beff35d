import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../events/index.ts';
import { createGatewayMetrics } from './gateway-metrics.ts';

const TOKENS = {
  ...{ definitions: 1_000, keptOut: 1_000, ownTools: 150, carried: 0, answers: 50, repeated: 0 },
  ...{ added: 200, net: 800, breakEven: 200 },
};

const RECORD: RequestRecord = {
  ...{ id: 'r', atMs: 0, route: 'messages', status: 200, durationMs: 10, owner: '', decision: 'defer', form: 'bridge' },
  ...{ rounds: 1, searches: [], loaded: [], called: [], refused: [], steps: [], inputTokens: 1, outputTokens: 1 },
  ...{ reach: 'neither', tokens: TOKENS },
};

/** The metrics after requests with these records. */
function metricsOf(records: readonly Partial<RequestRecord>[]): readonly string[] {
  const metrics = createGatewayMetrics(() => undefined);
  for (const record of records) {
    const { route, status, durationMs, owner } = RECORD;
    const end = { kind: 'request-end', requestId: 'r', route, status, durationMs, owner } as const;
    metrics.onEvent({ ...end, record: { ...RECORD, ...record } });
  }
  return metrics.registry.render().split('\n');
}

function seriesOf(lines: readonly string[], name: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${name}{`));
}

describe('metrics of a gateway', () => {
  it('have a limited number of models and keys, whatever clients call them, and count the rest together', () => {
    const models = Array.from({ length: 300 }, (_, index) => ({ model: `model-${index}` }));
    const saved = seriesOf(metricsOf(models), 'quartermaster_tokens_saved_total');
    expect(saved).toHaveLength(101);
    expect(saved).toContain('quartermaster_tokens_saved_total{model="model-0",key=""} 800');
    expect(saved).toContain(`quartermaster_tokens_saved_total{model="other",key=""} ${200 * 800}`);
    const keys = Array.from({ length: 300 }, (_, index) => ({ model: 'm', key: `key-${index}` }));
    expect(seriesOf(metricsOf(keys), 'quartermaster_tokens_saved_total')).toHaveLength(101);
    const both = Array.from({ length: 10_000 }, (_, at) => ({
      model: `m-${at % 100}`,
      key: `k-${Math.trunc(at / 100)}`,
    }));
    for (const name of ['quartermaster_tokens_saved_total', 'quartermaster_model_request_seconds_count']) {
      expect(seriesOf(metricsOf(both), name).length).toBeLessThanOrEqual(1_001);
    }
  });

  it('count a loss as one: the tokens that were saved fall, and may be negative', () => {
    const loss = { tokens: { ...TOKENS, keptOut: 37, net: 37 - 200 } };
    const lines = metricsOf([
      { model: 'm' },
      { model: 'm', ...loss },
      { model: 'm', ...loss },
      { model: 'n', ...loss },
    ]);
    expect(seriesOf(lines, 'quartermaster_tokens_saved_total')).toEqual([
      `quartermaster_tokens_saved_total{model="m",key=""} ${800 - 2 * 163}`,
      'quartermaster_tokens_saved_total{model="n",key=""} -163',
    ]);
    // Prometheus reads a counter that falls as a restart.
    expect(lines).toContain('# TYPE quartermaster_tokens_saved_total gauge');
  });

  it('escape names that would end a label or a line', () => {
    const [series] = seriesOf(metricsOf([{ model: 'a"b\\c\nd' }]), 'quartermaster_tokens_saved_total');
    expect(series).toBe('quartermaster_tokens_saved_total{model="a\\"b\\\\c\\nd",key=""} 800');
  });
});
