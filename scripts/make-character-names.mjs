// Writes the names of Unicode's characters, for `\N{NAME}` in patterns, as the regex engine reads them:
//   node scripts/make-character-names.mjs FOLDER
// FOLDER holds UnicodeData.txt, NameAliases.txt and DerivedAge.txt of the Unicode Character Database, 14.0 or newer
// (Debian's package unicode-data puts them into /usr/share/unicode). Writes packages/core/src/search/regex/unicode/character-name-table.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The version that CPython 3.11 knows. Names never change, so that a newer database only has to lose what came later. */
const VERSION = 14;
/** Aliases say nothing of their age: these came after that version. */
const LATER_ALIASES = new Set(['EM', 'ARABIC SMALL HIGH LIGATURE ALEF WITH YEH BARREE', 'SUNDANESE LETTER ARCHAIC I']);

/** How the table is written: a letter says how many words a name has in common with the one before, other signs stand for words. */
const KEPT = 'abcdefghij';
const SIGNS = 'klmnopqrstuvwxyz!#%&()*+,./:;<=>?@[]^_`{|}~';
/** So many words have a sign of their own; the other signs stand for a word in pairs. */
const SINGLE_SIGNS = 14;
const LINE_LENGTH = 8_000;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: node scripts/make-character-names.mjs FOLDER');
  process.exit(2);
}

const ages = readAges();
const names = readRows('UnicodeData.txt')
  .map(([code, name]) => ({ code: Number.parseInt(code, 16), name }))
  .filter(({ code, name }) => !name.startsWith('<') && !name.endsWith(`-${hexadecimal(code)}`) && isKnown(code));
const aliases = readRows('NameAliases.txt')
  .map(([code, name]) => ({ code: Number.parseInt(code, 16), name }))
  .filter(({ code, name }) => isKnown(code) && !LATER_ALIASES.has(name));

const lists = [names, aliases].map((entries) => ({ runs: runsOf(entries), kept: keepWords(entries) }));
const words = chooseWords(lists.flatMap(({ kept }) => kept.flatMap((each) => each.added)));
const signs = new Map(words.map((word, index) => [word, signOf(index)]));
const path = fileURLToPath(
  new URL('../packages/core/src/search/regex/unicode/character-name-table.ts', import.meta.url),
);
const [nameList, aliasList] = lists;
writeFileSync(path, render());
console.log(
  `${names.length} names, ${aliases.length} aliases, ${words.length} words: ${render().length} bytes in ${path}`,
);

function readRows(file) {
  return readFileSync(`${folder}/${file}`, 'utf8')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
    .map((line) => line.split(';').map((cell) => cell.trim()));
}

/** Ranges of code points with the version that brought them. */
function readAges() {
  return readRows('DerivedAge.txt').map(([range, version]) => {
    const [low, high = low] = range.split('..').map((code) => Number.parseInt(code, 16));
    return { low, high, version: Number(version) };
  });
}

function isKnown(code) {
  return ages.some(({ low, high, version }) => version <= VERSION && code >= low && code <= high);
}

function hexadecimal(code) {
  return code.toString(16).toUpperCase().padStart(4, '0');
}

/** Gap from the last code point of the run before, and how many follow each other from there. */
function runsOf(entries) {
  const runs = [];
  let last = 0;
  for (const { code } of entries) {
    const run = runs.at(-1);
    if (run !== undefined && code === last + 1) run.count++;
    else runs.push({ gap: code - last, count: 1 });
    last = code;
  }
  return runs.map(({ gap, count }) => `${gap.toString(36)} ${count.toString(36)}`).join(' ');
}

/** How many words a name keeps of the one before it, and what it adds to them. */
function keepWords(entries) {
  let last = [];
  return entries.map(({ name }) => {
    const all = name.split(' ');
    let kept = 0;
    while (kept < KEPT.length - 1 && kept < last.length && last[kept] === all[kept]) kept++;
    last = all;
    return { kept, added: all.slice(kept) };
  });
}

/** The words that are worth a sign, most frequent first: a pair of signs and a place in the list must be shorter than spelling. */
function chooseWords(all) {
  const counts = new Map();
  for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
  const most = SINGLE_SIGNS + (SIGNS.length - SINGLE_SIGNS) * SIGNS.length;
  const saved = ([word, count]) => count * (word.length - 2) - word.length - 1;
  return [...counts]
    .filter((each) => saved(each) > 0)
    .sort((left, right) => saved(right) - saved(left))
    .slice(0, most)
    .sort(([, left], [, right]) => right - left)
    .map(([word]) => word);
}

function signOf(index) {
  if (index < SINGLE_SIGNS) return SIGNS[index];
  const pair = index - SINGLE_SIGNS;
  return SIGNS[SINGLE_SIGNS + Math.floor(pair / SIGNS.length)] + SIGNS[pair % SIGNS.length];
}

/** Words without a sign are spelled, with a space between two of them. */
function write({ kept: entries }) {
  return entries
    .map(({ kept, added }) => {
      const text = added.map((word) => signs.get(word) ?? ` ${word}`).join('');
      return KEPT[kept] + text.replaceAll(/(^|[^A-Z0-9-]) /g, '$1');
    })
    .join('');
}

function lines(text) {
  const parts = text.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return `[\n${parts.map((part) => `  '${part}',\n`).join('')}]`;
}

function render() {
  return `/**
 * The names and aliases of Unicode ${VERSION}, made by scripts/make-character-names.mjs from the Unicode Character Database and
 * read by \`characterNamed\`: names that end in their own code point are left to \`composedCharacter\`.
 *
 * Copyright © 1991-2022 Unicode, Inc. All rights reserved. Distributed under the Terms of Use in
 * https://www.unicode.org/copyright.html. The data was changed in form, not in content.
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of the Unicode data files and any
 * associated documentation (the "Data Files") or Unicode software and any associated documentation (the "Software") to
 * deal in the Data Files or Software without restriction, including without limitation the rights to use, copy, modify,
 * merge, publish, distribute, and/or sell copies of the Data Files or Software, and to permit persons to whom the Data
 * Files or Software are furnished to do so, provided that either (a) this copyright and permission notice appear with
 * all copies of the Data Files or Software, or (b) this copyright and permission notice appear in associated
 * Documentation.
 *
 * THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
 * LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF THIRD PARTY
 * RIGHTS. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE BE LIABLE FOR ANY CLAIM, OR ANY
 * SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES, OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS,
 * WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
 * PERFORMANCE OF THE DATA FILES OR SOFTWARE. Except as contained in this notice, the name of a copyright holder shall not
 * be used in advertising or otherwise to promote the sale, use or other dealings in these Data Files or Software without
 * prior written authorization of the copyright holder.
 */

/** The signs that stand for words: so many alone, the others in pairs. */
export const WORD_SIGNS = '${SIGNS}';
export const SINGLE_SIGNS = ${SINGLE_SIGNS};

/** The letters that begin a name: how many words it keeps of the one before it. */
export const KEPT_WORDS = '${KEPT}';

/** The words that have a sign, in the order of the signs. */
export const WORDS: readonly string[] = ${lines(words.join(' '))};

/** Runs of code points in base 36: the gap from the last one of the run before, and how many. */
export const NAME_RUNS =
  '${nameList.runs}';
export const ALIAS_RUNS =
  '${aliasList.runs}';

/** For each code point of the runs, what its name keeps and what it adds. */
export const NAMES: readonly string[] = ${lines(write(nameList))};
export const ALIASES: readonly string[] = ${lines(write(aliasList))};
`;
}
