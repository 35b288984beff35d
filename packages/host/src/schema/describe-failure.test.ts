import { describe, expect, it } from 'vitest';
import { closestName } from './describe-failure.ts';

describe('closestName', () => {
  it.each([
    ['titel', ['body', 'title'], 'title'],
    ['issueNumber', ['issue_title', 'issue_number'], 'issue_number'],
    ['repo', ['owner', 'repository'], 'repository'],
    ['querry', ['query', 'limit'], 'query'],
    ['a', ['b'], undefined],
    ['zzz', ['title', 'body'], undefined],
    ['', ['a'], undefined],
    ['___', ['a'], undefined],
    ['x', [], undefined],
  ])('%s among %j is %s', (name, candidates, closest) => {
    expect(closestName(name, candidates)).toBe(closest);
  });

  it('of two that are equally near, the earlier', () => {
    expect(closestName('colour', ['colouri', 'colours'])).toBe('colouri');
  });

  it('long names are compared by their beginning', () => {
    expect(closestName('x'.repeat(100_000), ['x'.repeat(64)])).toBe('x'.repeat(64));
  });
});
