import { describe, expect, it } from 'vitest';
import { PatternError } from '../../errors.ts';
import { compilePattern, type Matcher } from './compile-pattern.ts';
import { meteredMatcher, STEP_LIMITS, type StepLimits } from './find-matches.ts';

function metered(query: string, limits: StepLimits = {}) {
  const matcher = meteredMatcher(query, compilePattern(query).matcher(), { ...STEP_LIMITS, ...limits });
  return {
    /** The answer, after how many pauses. */
    decide(text: string) {
      let decision = matcher.begin(text);
      let pauses = 0;
      for (; decision === 'paused'; pauses++) decision = matcher.resume();
      return { decision, pauses };
    },
    covered() {
      let covered = matcher.covered();
      while (covered === 'paused') covered = matcher.covered();
      return covered;
    },
  };
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(PatternError);
    return (error as PatternError).code;
  }
  return undefined;
}

describe('budgets', () => {
  /** 14 steps a place, whatever the text. */
  const LINEAR = '(.)(.)(.)\\3\\2\\1';
  const text = 'abcdefghij'.repeat(20);

  it('bounded work at each position never runs out, for any number of texts', () => {
    const matcher = metered(LINEAR, { budget: 0 });
    for (let round = 0; round < 200; round++) expect(matcher.decide(text).decision).toBe('no-match');
  });

  it('the budget is for what goes beyond that, over all texts together', () => {
    const matcher = metered(LINEAR, { budget: 10_000, stepsPerCharacter: 1 });
    const rounds = Array.from({ length: 20 }, () => codeOf(() => matcher.decide(text)));
    expect(rounds.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(rounds).toContain('out_of_budget');
  });

  it.each(['(a+)+\\1$', '(?:a|aa)+(?=b)c', '(a*)*\\1[bc]'])('%s stops at the first text that it suits', (query) => {
    const matcher = metered(query, { textBudget: 50_000 });
    expect(matcher.decide('nothing here').decision).toMatch(/match$/);
    expect(codeOf(() => matcher.decide(`${'a'.repeat(200)}!b`))).toBe('out_of_budget');
  });

  it('says which budget it was', () => {
    const hostile = `${'a'.repeat(200)}!`;
    expect(() => metered('(a+)+\\1$', { textBudget: 50_000 }).decide(hostile)).toThrow('50000 steps on one text');
    expect(() => metered('(a+)+\\1$', { budget: 60_000, stepsPerCharacter: 0 }).decide(hostile)).toThrow(
      '60000 steps on the texts of this catalog',
    );
  });

  it('a share stays unknown once telling shares has taken as much as deciding may', () => {
    const matcher = metered('\\w+ words', { budget: 50, stepsPerCharacter: 0 });
    const covered = Array.from({ length: 20 }, () => {
      expect(matcher.decide('of some words').decision).toBe('match');
      return matcher.covered();
    });
    expect(covered[0]).toBe(10);
    expect(covered[19]).toBeUndefined();
  });
});

describe('pauses', () => {
  it('come after so many steps, and change no answer', () => {
    const long = `${'ab'.repeat(5_000)}!`;
    expect(metered('(?<=b)!').decide(long)).toEqual({ decision: 'match', pauses: 10 });
    expect(metered('(.)\\1!').decide(long)).toMatchObject({ decision: 'no-match' });
  });

  it('many short texts pause as one long one does', () => {
    const matcher = metered('(?<=b)!');
    let pauses = 0;
    for (let round = 0; round < 5_000; round++) pauses += matcher.decide('ab').pauses;
    expect(pauses).toBeGreaterThanOrEqual(10);
  });

  it('never grants an engine more than a thousand steps at a time', () => {
    const granted: number[] = [];
    const greedy: Matcher = {
      engine: 'backtracking',
      begin: () => undefined,
      advance(meter) {
        granted.push(meter.left);
        meter.left -= 700;
        return granted.length > 20 ? 'no-match' : 'paused';
      },
      span: () => 'paused',
    };
    const matcher = meteredMatcher('x', greedy, STEP_LIMITS);
    for (let decision = matcher.begin('x'); decision === 'paused'; ) decision = matcher.resume();
    expect(Math.max(...granted)).toBe(1_000);
  });
});
