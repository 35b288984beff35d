import { describe, expect, it } from 'vitest';
import { PatternError } from '../../errors.ts';
import { PYTHON_ANSWERS, type PythonAnswer } from './python-answers.fixture.ts';
import { compilePattern, type Pattern } from './standalone.ts';

function answer([pattern, text, , flags = '']: PythonAnswer): PythonAnswer[2] {
  try {
    const outcome = compilePattern(pattern, { flags }).run(text);
    return outcome.kind === 'match' ? [outcome.start, outcome.end] : null;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof PatternError ? error.code : String(error);
  }
}

describe("CPython's answers", () => {
  it.each(PYTHON_ANSWERS.map((row) => ({ row, name: JSON.stringify(row) })))('$name', ({ row }) => {
    expect(answer(row)).toEqual(row[2]);
  });

  it('test agrees with run', () => {
    for (const [pattern, text, expected, flags = ''] of PYTHON_ANSWERS) {
      if (typeof expected === 'string') continue;
      expect(compilePattern(pattern, { flags }).test(text)).toBe(expected !== null);
    }
  });
});

describe('limits', () => {
  it('a pattern of 200 characters is taken, one of 201 is not', () => {
    expect(compilePattern('a'.repeat(200)).test('a'.repeat(200))).toBe(true);
    expect(codeOf(() => compilePattern('a'.repeat(201)))).toBe('pattern_too_long');
  });

  it('the length counts code points and can be set', () => {
    expect(compilePattern('😀'.repeat(200)).test('x')).toBe(false);
    expect(codeOf(() => compilePattern('abc', { maxLength: 2 }))).toBe('pattern_too_long');
    expect(compilePattern('a'.repeat(300), { maxLength: 300 }).test('b')).toBe(false);
  });

  it('an unknown flag is an invalid pattern', () => {
    expect(codeOf(() => compilePattern('a', { flags: 'g' }))).toBe('invalid_pattern');
    expect(codeOf(() => compilePattern('a', { flags: 'L' }))).toBe('invalid_pattern');
    expect(codeOf(() => compilePattern('a', { flags: 'au' }))).toBe('invalid_pattern');
  });

  it('parentheses nested beyond reason are an invalid pattern, not a full stack', () => {
    const pattern = `${'('.repeat(20_000)}${')'.repeat(20_000)}`;
    expect(codeOf(() => compilePattern(pattern, { maxLength: 100_000 }))).toBe('invalid_pattern');
  });

  it('an error carries its position', () => {
    try {
      compilePattern('ab(c');
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(PatternError);
      expect((error as PatternError).context).toMatchObject({ pattern: 'ab(c', position: 2 });
    }
  });
});

describe('engines', () => {
  it.each<[string, Pattern['engine']]>([
    ['weather', 'literal'],
    ['(?:wea)(ther)', 'literal'],
    ['get_.*_data', 'automaton'],
    ['(?i)slack', 'automaton'],
    ['(a+)+$', 'automaton'],
    ['^(?=.*a)(?!.*b)c', 'automaton'],
    ['(?=.*a)(?=.*b)', 'automaton'],
    ['(a)\\1', 'backtracking'],
    ['a(?!b)', 'backtracking'],
    ['(?>a+)b', 'backtracking'],
    ['(a{1000}){1000}', 'backtracking'],
  ])('%s is answered by %s', (pattern, engine) => {
    expect(compilePattern(pattern).engine).toBe(engine);
  });
});

describe('hostile patterns', () => {
  const manyA = `${'a'.repeat(5_000)}!`;

  it.each([
    ['(a+)+$', manyA, false],
    ['(a|aa)*c', manyA, false],
    ['(a|a)*b', manyA, false],
    ['(?:a?){100}a{100}', 'a'.repeat(99), false],
    ['(.*)*x', manyA, false],
    ['(.*.*.*.*)*=', manyA, false],
    ['([a-z]+)*[0-9]', manyA, false],
    ['(x+x+)+y', 'x'.repeat(5_000), false],
    ['[ab]*a[ab]{150}c', 'ab'.repeat(3_000), false],
    ['(?:(?:(?:a*)*)*)*b', manyA, false],
    ['(?i)(ſ|s)*k', 's'.repeat(5_000), false],
    ['^(?=(?:a+)+$).*', manyA, false],
  ])('%s is answered in linear time', (pattern, text, expected) => {
    expect(compilePattern(pattern).test(text)).toBe(expected);
  });

  it.each([
    ['(a*)*\\1[bc]', manyA],
    ['(?:(a+)+)\\1{3}[bc]', manyA],
    ['(?:a|aa)*[bc](?!d)', manyA],
    ['(.*)(.*)(.*)(.*)\\4\\3\\2\\1[xy]', manyA],
    ['((a{1,200}){1,200}){1,200}(?!)', manyA],
    ['(?<!b)(?:a|a)*[cd]', manyA],
    ['(a{1000}){1000}', manyA],
  ])('%s is out of budget', (pattern, text) => {
    const compiled = compilePattern(pattern);
    expect(codeOf(() => compiled.test(text))).toBe('out_of_budget');
    expect(compiled.run(text)).toEqual({ kind: 'out-of-budget' });
  });

  it('depth is bounded too: a stack that would fill memory is out of budget', () => {
    const compiled = compilePattern('(?:(a)|b)*\\1[cd]', { budget: 1e12 });
    expect(compiled.run('ab'.repeat(400_000))).toEqual({ kind: 'out-of-budget' });
  });

  it('still answers after it ran out', () => {
    const compiled = compilePattern('(a*)*\\1[bc]');
    expect(compiled.run(manyA).kind).toBe('out-of-budget');
    expect(compiled.run('aab')).toEqual({ kind: 'match', start: 0, end: 3, exact: true });
  });

  it('a place that takes too long to find is approximate, and says so', () => {
    const outcome = compilePattern('(?:a|aa)*!|(?:a|aa)*c|x').run(`${'a'.repeat(2_000)}!x`);
    expect(outcome).toMatchObject({ kind: 'match' });
    const hard = compilePattern('(a|aa)*c|!').run(manyA);
    expect(hard).toEqual({ kind: 'match', start: 0, end: 5_001, exact: false });
  });
});

describe('slices', () => {
  /** Runs with a meter of a few steps at a time. */
  function sliced(pattern: string, text: string, steps: number): { decision: string; pauses: number } {
    const matcher = compilePattern(pattern).matcher();
    matcher.begin(text);
    for (let pauses = 0; ; pauses++) {
      const decision = matcher.advance({ left: steps });
      if (decision !== 'paused') return { decision, pauses };
    }
  }

  it.each([
    ['ab*c$', `x\n${'ab'.repeat(50)}bbc\n`],
    ['\\bfoo\\b', `${'foox '.repeat(20)}foo`],
    ['(a+)\\1b', `${'a'.repeat(30)}b`],
    ['^(?=.*a)(?=.*z)', `${'ba'.repeat(40)}z`],
    ['(?=.*a)(?=.*z)', `${'b\n'.repeat(40)}xaz`],
    ['(?<=x)(?>a+)b', `${'xa'.repeat(30)}b`],
    ['nothing.*here', 'nothing '.repeat(20)],
    ['(?:ab|a)*+\\Z', 'ab'.repeat(40)],
  ])('%s gets the same answer in slices of any length', (pattern, text) => {
    const whole = compilePattern(pattern).test(text) ? 'match' : 'no-match';
    for (const steps of [1, 2, 7, 50]) expect(sliced(pattern, text, steps).decision).toBe(whole);
    expect(sliced(pattern, text, 1).pauses).toBeGreaterThan(5);
  });

  it('two matchers of one pattern do not disturb each other', () => {
    const pattern = compilePattern('a.*b');
    const [one, two] = [pattern.matcher(), pattern.matcher()];
    one.begin(`a${'x'.repeat(100)}b`);
    expect(one.advance({ left: 10 })).toBe('paused');
    two.begin('c');
    expect(two.advance({ left: 100 })).toBe('no-match');
    expect(one.advance({ left: 1_000 })).toBe('match');
  });

  it('a scan continues correctly after the automaton has dropped its states', () => {
    let seed = 7;
    const random = (): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed / 2147483648;
    };
    const text = Array.from({ length: 60_000 }, () => (random() < 0.5 ? 'a' : 'b')).join('');
    const pattern = compilePattern('a[ab]{14}c');
    expect(pattern.test(text)).toBe(false);
    expect(pattern.test(`${text}a${'b'.repeat(14)}c`)).toBe(true);
    expect(pattern.test(`${text}b${'b'.repeat(14)}c`)).toBe(false);
  });
});
