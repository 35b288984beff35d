import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery, removeFiller, removeOperators, unresolvedOperators } from './read-request.ts';

describe('parseQuery', () => {
  it.each([
    ['select:A,B', ['A', 'B']],
    ['  SELECT: get_me , list-all,, ', ['get_me', 'list-all']],
    ['please select:A', []],
    ['select:', []],
    ['plain words', []],
  ])('reads the selection of %j', (query, names) => {
    expect(parseQuery(query).select).toEqual(names);
  });

  it.each([
    ['+mail inbox', [['required', 'mail']]],
    [
      'find +urgent mail server:github',
      [
        ['required', 'urgent'],
        ['server', 'github'],
      ],
    ],
    ['server:"Google Maps" route', [['server', 'Google Maps']]],
    ['2+2 and c++', []],
    ['myserver:x', []],
    ['server: x', []],
  ])('reads the operators of %j', (query, operators) => {
    expect(parseQuery(query).operators.map(({ kind, value }) => [kind, value])).toEqual(operators);
  });

  it('takes servers out of the text and leaves required words in', () => {
    const { text, operators } = parseQuery('find +urgent mail server:github today');
    expect(removeOperators(text, operators)).toBe('find urgent mail  today');
    expect(removeOperators(text, [])).toBe(text);
  });

  it.each([
    ['find +urgent mail server:"no such"', ['server:"no such"']],
    ['server:a +b', ['server:a']],
    [' select:a, b ', ['select:a, b']],
    ['select:a server:b', ['select:a server:b']],
    ['select:a +b', ['select:a b']],
    ['plain words', []],
  ])('names the operators of %j that do not apply, as they are written', (query, unresolved) => {
    const parsed = parseQuery(query);
    const applied = parsed.operators.filter(({ kind }) => kind === 'required');
    expect(unresolvedOperators(parsed, applied)).toEqual(unresolved);
  });

  it('reads so many operators, and what follows as words', () => {
    const { operators, text } = parseQuery('+mail '.repeat(100));
    expect(operators).toHaveLength(32);
    expect(text).toHaveLength(600);
  });
});

describe('removeFiller', () => {
  it.each([
    ["Hi there! Hope you're doing well. List open invoices. Thanks a lot!", 'List open invoices.'],
    ['Hello, cancel my order 4411 please', 'cancel my order 4411'],
    ['Hey, quick question: who is on call tonight?', 'who is on call tonight?'],
    ['Good morning! I hope this message finds you well. Move the standup to 10. Cheers!', 'Move the standup to 10.'],
    ["Hey! Sorry to bother you, I know you're busy. Restart the worker", 'Restart the worker'],
    ['Hi, I was wondering if you could help me with something. Merge PR 12', 'Merge PR 12'],
    ['Could you please convert 20 EUR to USD? Thank you so much in advance.', 'convert 20 EUR to USD?'],
    ['delete the branch, thanks', 'delete the branch'],
    ["Book a table for two. I'd really appreciate it. Thank you!", 'Book a table for two.'],
    ['Export the report. Many thanks and best regards, Sam', 'Export the report.'],
    ['Ship it to Oslo. Thank you for your time and your patience.', 'Ship it to Oslo.'],
    ['Find a dentist. Looking forward to your reply!', 'Find a dentist.'],
    ['Bonjour, affiche mes tickets ouverts, merci', 'affiche mes tickets ouverts'],
    ['Hallo zusammen, bitte lösche den Zweig. Vielen Dank!', 'lösche den Zweig.'],
    ['你好，请列出所有文件，谢谢', '列出所有文件'],
  ])('%s', (text, rest) => {
    expect(removeFiller(text)).toBe(rest);
  });

  it.each([
    'send a thank you note to all donors',
    'what does hello mean in Korean',
    'say hi to the team in #general',
    'list the best restaurants in Lyon',
    'schedule a good morning message',
    'thanks',
    'hi',
    'hello there!',
    'v2.1 release notes for acme.example.com',
    'help with installing nginx',
    'please_confirm',
    'get_accounts',
    'ꓐ！Ⰰ',
    '打开文件。关闭窗口！',
    '',
  ])('leaves "%s" alone', (text) => {
    expect(removeFiller(text)).toBe(text);
  });

  it('takes nothing from what has none, and never everything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const rest = removeFiller(text);
        expect(rest.length).toBeLessThanOrEqual(text.length);
        if (/[\p{L}\p{N}]/u.test(text)) expect(rest).toMatch(/[\p{L}\p{N}]/u);
      }),
    );
  });

  it.each([' ', ',', 'hi ', 'thanks ', 'so much ', 'please ', '...', 'hi, '])(
    'is fast for %j over and over',
    (part) => {
      const text = part.repeat(Math.floor(4_096 / part.length));
      expect(removeFiller(`${text}x${text}`).length).toBeGreaterThan(0);
    },
    2_000,
  );
});
