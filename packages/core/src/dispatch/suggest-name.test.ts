import { describe, expect, it } from 'vitest';
import { sampleSnapshot } from '../disclosure/sample-tools.fixture.ts';
import { suggestName } from './suggest-name.ts';

describe('suggestName', () => {
  it.each([
    ['creat_issue', ['github__create_issue']],
    ['issue', ['github__close_issue', 'github__create_issue']],
    ['create_isseu', ['github__create_issue']],
    ['zzzzzzzz', []],
    ['', []],
  ])('for %j is %j', (name, expected) => {
    expect(suggestName({ snapshot: sampleSnapshot(), name })).toEqual(expected);
  });
});
