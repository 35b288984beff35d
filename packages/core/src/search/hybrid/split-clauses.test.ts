import { describe, expect, it } from 'vitest';
import { splitClauses } from './split-clauses.ts';

describe('splitClauses', () => {
  it.each<[string, readonly string[]]>([
    ['send an email', []],
    ['Book a flight to Oslo and then reserve a hotel room', ['Book a flight to Oslo', 'reserve a hotel room']],
    ['List my open issues. Close the oldest one!', ['List my open issues', 'Close the oldest one']],
    ['the temperature is 25.6 degrees at v1.2.3', []],
    ['salt and pepper', []],
    ['delete the old file and list all others', ['delete the old file', 'list all others']],
    ['Show name and age of every user. Send them a letter', ['Show name and age of every user', 'Send them a letter']],
    ['copy the file, and then move it and print the result', ['copy the file', 'move it and print the result']],
    ['创建一个新的日历事件。给团队发送消息', ['创建一个新的日历事件', '给团队发送消息']],
    ['', []],
  ])('splits %j', (text, clauses) => {
    expect(splitClauses(text)).toEqual(clauses);
  });

  it('stops at sixteen', () => {
    expect(splitClauses('do this thing. '.repeat(100))).toHaveLength(16);
  });
});
