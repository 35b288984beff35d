import { parseSetEscape } from './parse-escape.ts';
import type { PatternNode, SetItem } from './pattern-node.ts';
import { codePointLength, type PatternSource } from './pattern-source.ts';

/** A set, after its `[` was taken. */
export function parseCharacterSet(source: PatternSource): PatternNode {
  const start = source.position - 1;
  const items = new Map<string, SetItem>();
  const add = (item: SetItem): void => {
    items.set(JSON.stringify(item), item);
  };
  const negate = source.accept('^');
  for (;;) {
    const token = takeMember(source, start);
    if (token === ']' && items.size > 0) break;
    const item = parseMember(source, token);
    if (!source.accept('-')) {
      add(item);
      continue;
    }
    const endToken = takeMember(source, start);
    if (endToken === ']') {
      add(item);
      add({ kind: 'literal', code: 0x2d });
      break;
    }
    const end = parseMember(source, endToken);
    if (item.kind !== 'literal' || end.kind !== 'literal' || end.code < item.code) {
      const back = codePointLength(token) + 1 + codePointLength(endToken);
      throw source.error(`bad character range ${token}-${endToken}`, back);
    }
    add({ kind: 'range', low: item.code, high: end.code });
  }
  const members = [...items.values()];
  const [only] = members;
  return only?.kind === 'literal' && members.length === 1 && !negate ? only : { kind: 'set', negate, items: members };
}

function takeMember(source: PatternSource, start: number): string {
  const token = source.take();
  if (token === undefined) throw source.errorAt('unterminated character set', start);
  return token;
}

function parseMember(source: PatternSource, token: string): SetItem {
  return token.startsWith('\\') ? parseSetEscape(source, token) : { kind: 'literal', code: token.codePointAt(0) ?? 0 };
}
