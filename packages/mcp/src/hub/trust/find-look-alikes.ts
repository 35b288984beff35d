import type { Tool } from '@quartermaster/core';
import { type Suspicion, spellCharacter } from './find-suspicions.ts';

/**
 * Tools whose names look like another server's tool: with letters of another alphabet, or with a digit or a
 * capital I in place of a letter. By id. Equal names on two servers are common and not reported, nor are differences in case.
 */
export function findLookAlikes(tools: readonly Tool[]): ReadonlyMap<string, Suspicion> {
  const plain = new Map<string, Tool[]>();
  const disguised: { readonly tool: Tool; readonly folded: string }[] = [];
  for (const tool of tools) {
    const folded = fold(tool.name);
    if (folded !== tool.name.toLowerCase()) disguised.push({ tool, folded });
    else plain.set(folded, [...(plain.get(folded) ?? []), tool].slice(0, MOST_OWNERS));
  }
  const found = new Map<string, Suspicion>();
  for (const { tool, folded } of disguised) {
    const shadowed = plain.get(folded)?.find(({ server }) => server !== tool.server);
    if (shadowed === undefined) continue;
    const excerpt = `${tool.name.replace(/[^\x20-\x7e]/gu, spellCharacter)} looks like ${shadowed.id}`.slice(
      0,
      EXCERPT_LENGTH,
    );
    found.set(tool.id, { kind: 'look-alike-name', at: 'name', excerpt });
  }
  return found;
}

/** Two owners are enough to find one on another server. */
const MOST_OWNERS = 2;
const EXCERPT_LENGTH = 200;

function fold(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  return [...name.normalize('NFKC')]
    .map((character) => LOOKS_LIKE.get(character) ?? character)
    .join('')
    .toLowerCase();
}

/** Nothing in it looks like anything else. Most names are such. */
const PLAIN = /^[A-HJ-Za-z2-9_./-]*$/;

/** Cyrillic, Greek and Armenian letters that most fonts draw like Latin ones, and the digits and the letter that look like others. */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ а: 'a', с: 'c', ԁ: 'd', е: 'e', һ: 'h', і: 'i', ј: 'j', ӏ: 'l', о: 'o', р: 'p', ԛ: 'q', ѕ: 's', ԝ: 'w' },
    ...{ х: 'x', у: 'y', А: 'A', В: 'B', С: 'C', Е: 'E', Н: 'H', К: 'K', М: 'M', О: 'O', Р: 'P', Т: 'T', Х: 'X' },
    ...{ α: 'a', ο: 'o', ν: 'v', ρ: 'p', ι: 'i', υ: 'u', ո: 'n', օ: 'o', ս: 'u', ց: 'g', ı: 'i', ɑ: 'a', ɡ: 'g' },
    ...{ '0': 'o', '1': 'l', I: 'l' },
  }),
);
