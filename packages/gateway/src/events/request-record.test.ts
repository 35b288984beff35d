import { describe, expect, it } from 'vitest';
import { tokenAccount } from './request-record.ts';

const PLAN = { definitions: 10_000, full: 500, declared: 900 };

describe('the tokens of a response', () => {
  it('are kept out completely, except our own tools, if nothing is searched for', () => {
    expect(tokenAccount({ plan: PLAN, carried: 0, answers: 0, laterRounds: 0, laterTokens: 0 })).toEqual({
      definitions: 10_000,
      keptOut: 9_500,
      ownTools: 400,
      carried: 0,
      answers: 0,
      repeated: 0,
      added: 400,
      net: 9_100,
      breakEven: 400,
    });
  });

  it('count the conversation again for each round that a search adds, and the answer once', () => {
    const account = tokenAccount({ plan: PLAN, carried: 0, answers: 300, laterRounds: 1, laterTokens: 1_300 });
    expect(account).toMatchObject({ answers: 300, repeated: 1_300 + 900 - 300, added: 400 + 1_300 + 900 });
    expect(account.net).toBe(account.keptOut - account.added);
  });

  it('count what earlier responses loaded', () => {
    const account = tokenAccount({ plan: PLAN, carried: 700, answers: 0, laterRounds: 0, laterTokens: 0 });
    expect(account).toMatchObject({ carried: 700, added: 1_100, net: 8_400 });
  });

  it('are a loss where a catalog is small and the conversation long, and the loss is shown', () => {
    const plan = { definitions: 1_000, full: 0, declared: 400 };
    const account = tokenAccount({ plan, carried: 0, answers: 200, laterRounds: 1, laterTokens: 5_000 });
    expect(account.net).toBe(1_000 - 400 - 5_400);
    expect(account.breakEven).toBe(5_800);
  });
});
