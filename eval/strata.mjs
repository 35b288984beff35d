import { createSnapshot } from '@quartermaster/core';
import { OWN_STRATA, readOwnRequests } from './own-requests.mjs';

/** Greetings and thanks as people put them around a request. Written for this; no training saw them. */
const OPENINGS = [
  'Hi! ',
  'Hello there, ',
  'Hey, hope you had a nice weekend! ',
  'Good evening. ',
  'Hi team, sorry to bother you again. ',
  'Hey, could you please help me out? ',
  'Hello! I hope everything is going well on your side. ',
  'Hi, when you have a minute: ',
];
const CLOSINGS = [
  ' Thanks!',
  ' Thank you very much for your help.',
  ' Thanks in advance, have a great day!',
  ' Much appreciated!',
  " That'd be awesome, thank you.",
  ' Cheers, Robin',
  ' Many thanks!',
  '',
];
/** Strata whose requests are whole sentences or keywords in English. */
const ENGLISH = ['keywords', 'plain-request', 'no-service-named', 'paraphrase', 'several-tools'];

/** Made of the other strata or with requests that only this evaluation has: no average counts them, so that it stays comparable. */
export const ADDED_STRATA = ['with-filler', 'upper-case', 'misspelt', ...OWN_STRATA];

/** The sample's own requests once more: with filler around them, in capitals, and with two words misspelt; and those of the larger strata. */
export function addStrata(queries) {
  const english = queries.filter(({ split, relevant }) => relevant.length > 0 && ENGLISH.includes(split));
  return [
    ...queries,
    ...english.map((query, at) => ({
      ...query,
      query: `${OPENINGS[at % OPENINGS.length]}${query.query.replace(/[.!\s]*$/, '.')}${CLOSINGS[(at * 3) % CLOSINGS.length]}`,
      split: 'with-filler',
    })),
    ...english.map((query) => ({ ...query, query: query.query.toUpperCase(), split: 'upper-case' })),
    ...misspell(english),
    ...readOwnRequests(queries),
  ];
}

/** Two letters of the two longest words change places, in requests of five words or more. */
function misspell(queries) {
  return queries
    .filter(({ query }) => query.split(' ').length >= 5)
    .map((query) => {
      const words = query.query.split(' ');
      const longest = [...words.keys()].sort((a, b) => words[b].length - words[a].length || a - b).slice(0, 2);
      const written = words.map((word, at) => {
        const middle = Math.floor(word.length / 2);
        const isPlain = /^[a-z]{5,}[.,!?]?$/i.test(word);
        if (!longest.includes(at) || !isPlain) return word;
        return `${word.slice(0, middle - 1)}${word[middle]}${word[middle - 1]}${word.slice(middle + 1)}`;
      });
      return { ...query, query: written.join(' '), split: 'misspelt' };
    });
}

/** For each server the catalog without it, and the requests that only it answers. */
export function takeOutServers({ snapshot, queries }) {
  return snapshot.servers.flatMap((server) => {
    const isOwn = (id) => id.startsWith(`${server}/`);
    const own = queries.filter(({ relevant, split }) => {
      return relevant.length > 0 && relevant.every(isOwn) && [...ENGLISH, 'typo'].includes(split);
    });
    if (own.length === 0) return [];
    const rest = createSnapshot(snapshot.tools.filter((tool) => tool.server !== server));
    return [{ snapshot: rest, queries: own.map(({ query }) => ({ query, relevant: [] })) }];
  });
}

/** How often something fits among requests that were judged about as likely: what a probability should say. */
export function measureReliability(outcomes) {
  const judged = outcomes.filter(({ confidence }) => confidence !== undefined);
  return Array.from({ length: BINS }, (_, bin) => {
    const some = judged.filter(({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)) === bin);
    const share = (value) => some.reduce((sum, outcome) => sum + value(outcome), 0) / some.length;
    return {
      from: bin / BINS,
      requests: some.length,
      said: share(({ confidence }) => confidence),
      is: share(({ kind }) => (kind === 'answerable' ? 1 : 0)),
    };
  });
}

const BINS = 10;
