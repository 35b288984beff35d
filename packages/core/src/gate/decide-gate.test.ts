import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool, type Policy } from '../catalog/index.ts';
import { decideGate, type GateDecision } from './decide-gate.ts';
import { snapshotTokens } from './estimate-tokens.ts';
import { DEFAULT_GATE_SETTINGS, type GateRule } from './gate-settings.ts';

interface Ask {
  readonly policies: readonly Policy[];
  readonly rule?: GateRule;
  readonly contextTokens?: number;
  readonly pins?: readonly string[];
}

/** Each definition costs 100 tokens. */
function decide(ask: Ask): GateDecision {
  const snapshot = createSnapshot(ask.policies.map((policy, index) => createTool({ name: `tool_${index}`, policy })));
  return decideGate({
    snapshot,
    settings: { ...DEFAULT_GATE_SETTINGS, rule: ask.rule ?? DEFAULT_GATE_SETTINGS.rule, pins: ask.pins ?? [] },
    limits: { contextTokens: ask.contextTokens ?? 1000, source: 'override' },
    countTokens: () => 100,
  });
}

function deferredBy(ask: Ask): readonly string[] {
  const decision = decide(ask);
  return decision.kind === 'defer' ? [...decision.deferred] : [];
}

const one: readonly Policy[] = ['automatic'];

describe('decideGate', () => {
  it.each<[string, GateRule, number, boolean]>([
    ['exactly the share does not exceed it', { kind: 'share', percent: 10, comparison: 'exceeds' }, 1000, false],
    ['a little more than the share exceeds it', { kind: 'share', percent: 10, comparison: 'exceeds' }, 999, true],
    ['exactly the share is at least it', { kind: 'share', percent: 10, comparison: 'at-least' }, 1000, true],
    ['a little less is not', { kind: 'share', percent: 10, comparison: 'at-least' }, 1001, false],
    ['anything exceeds 0%', { kind: 'share', percent: 0, comparison: 'exceeds' }, 1_000_000, true],
    ['on needs no share', { kind: 'on' }, 1_000_000, true],
    ['off is off', { kind: 'off' }, 1, false],
    ['a count that is reached', { kind: 'count', tools: 1 }, 1_000_000, true],
    ['a count that is not', { kind: 'count', tools: 2 }, 1, false],
  ])('%s', (_, rule, contextTokens, isDeferred) => {
    expect(deferredBy({ policies: one, rule, contextTokens })).toEqual(isDeferred ? ['tool_0'] : []);
  });

  it('counts tools that are never deferred towards a count, but not towards a share', () => {
    const policies: Policy[] = ['never', 'never', 'automatic'];
    expect(deferredBy({ policies, rule: { kind: 'count', tools: 3 } })).toEqual(['tool_2']);
    expect(deferredBy({ policies, rule: { kind: 'share', percent: 20, comparison: 'at-least' } })).toEqual([]);
  });

  it('defers what is always deferred below the threshold too, but not when search is off', () => {
    const policies: Policy[] = ['automatic', 'always'];
    const decision = decide({ policies, contextTokens: 1_000_000 });
    expect(decision).toMatchObject({ kind: 'defer', deferred: new Set(['tool_1']) });
    expect(decision.reason).toContain('1 tool is always deferred by policy');
    expect(deferredBy({ policies, rule: { kind: 'off' } })).toEqual([]);
  });

  it('on without a tool that could be deferred is inline, and says so', () => {
    expect(decide({ policies: ['never'], rule: { kind: 'on' } })).toMatchObject({
      kind: 'inline',
      reason: 'No tool can be deferred',
    });
  });

  it('pins tools by pattern, over any policy', () => {
    const policies: Policy[] = ['automatic', 'always', 'automatic'];
    expect(deferredBy({ policies, rule: { kind: 'on' }, pins: ['*_1', 'tool_2'] })).toEqual(['tool_0']);
  });

  it('keeps a tool that a provider defines, since it has no schema to load later', () => {
    const snapshot = createSnapshot([
      createTool({ name: 'web_search', extras: { providerType: 'web_search_20250305' } }),
      createTool({ name: 'other' }),
    ]);
    const settings = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' } as const };
    const decision = decideGate({ snapshot, settings, limits: { contextTokens: 1, source: 'default' } });
    expect(decision).toMatchObject({ deferred: new Set(['other']) });
  });

  it('ignores what the caller may not see', () => {
    const snapshot = createSnapshot(['a', 'b'].map((name) => createTool({ name })));
    const decision = decideGate({
      snapshot,
      settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'count', tools: 2 } },
      limits: { contextTokens: 1, source: 'default' },
      allow: (tool) => tool.name === 'a',
    });
    expect(decision).toMatchObject({ kind: 'inline', figures: { tools: 1 } });
  });

  it('gives its reason in figures', () => {
    expect(decide({ policies: one }).reason).toBe(
      'The deferrable definitions take about 100 tokens, 10.0% of the context window of 1,000; tools are deferred if they take at least 10%',
    );
  });

  it('separates thousands in every figure', () => {
    const policies: readonly Policy[] = Array.from({ length: 1200 }, () => 'automatic');
    expect(decide({ policies }).reason).toContain('about 120,000 tokens, 12,000.0% of the context window of 1,000');
    expect(decide({ policies, rule: { kind: 'count', tools: 1300 } }).reason).toBe(
      '1,200 tools are below the threshold of 1,300',
    );
  });

  it('never defers a tool that is `never` or pinned, whatever the rule, the window and the catalog', () => {
    const policy = fc.constantFrom<Policy>('never', 'automatic', 'always');
    const rule = fc.oneof(
      fc.constantFrom<GateRule>({ kind: 'on' }, { kind: 'off' }),
      fc.nat(20).map((tools): GateRule => ({ kind: 'count', tools })),
      fc.record({
        kind: fc.constant('share' as const),
        percent: fc.nat(100),
        comparison: fc.constantFrom('exceeds' as const, 'at-least' as const),
      }),
    );
    fc.assert(
      fc.property(
        fc.array(policy, { maxLength: 12 }),
        rule,
        fc.integer({ min: 1, max: 5000 }),
        (policies, given, window) => {
          const deferred = deferredBy({ policies, rule: given, contextTokens: window, pins: ['tool_1*'] });
          for (const id of deferred) {
            expect(policies[Number(id.slice(5))]).not.toBe('never');
            expect(id.startsWith('tool_1')).toBe(false);
          }
          const always = policies.flatMap((one, index) => (one === 'always' ? [`tool_${index}`] : []));
          const kept = always.filter((id) => !id.startsWith('tool_1'));
          if (given.kind !== 'off') expect(deferred).toEqual(expect.arrayContaining(kept));
        },
      ),
    );
  });

  it('counts a snapshot once, however often it is decided on', () => {
    let counted = 0;
    const count = (text: string): number => {
      counted += 1;
      return text.length;
    };
    const snapshot = createSnapshot(['a', 'b'].map((name) => createTool({ name })));
    snapshotTokens(snapshot, count);
    snapshotTokens(snapshot, count);
    expect(counted).toBe(2);
  });
});
