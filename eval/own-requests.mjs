import { readFileSync } from 'node:fs';

/** Requests for the sample catalog that were written for this evaluation alone, and those of the sample which are of the same kind. */
const KINDS = [
  { stratum: 'users-words', sample: 'paraphrase' },
  { stratum: 'model-written', sample: 'keywords' },
  { stratum: 'service-named', sample: 'plain-request' },
  { stratum: 'several-steps', sample: 'several-tools' },
  { stratum: 'languages', sample: 'non-english' },
];

/** What each larger stratum is called; each has 200 requests or more. */
export const OWN_STRATA = KINDS.map(({ stratum }) => stratum);

/** Each stratum's requests; `sample` are those of the sample catalog. */
export function readOwnRequests(sample) {
  return KINDS.flatMap(({ stratum, sample: split }) => {
    const own = readRequests(stratum);
    const alike = sample.filter((query) => query.split === split);
    const joined = stratum === 'several-steps' ? joinRequests(readRequests('service-named'), own) : [];
    return [...own, ...alike, ...joined].map(({ query, relevant }) => ({ query, relevant, split: stratum }));
  });
}

/** Two requests for different services as one message. */
function joinRequests(requests, { length }) {
  const half = Math.floor(requests.length / 2);
  return Array.from({ length: length + EXTRA }, (_, at) => {
    const [first, second] = [requests[at], requests[(at + half) % requests.length]];
    return {
      query: `${first.query}${JOINTS[at % JOINTS.length]}${second.query}`,
      relevant: [...first.relevant, ...second.relevant],
    };
  });
}

function readRequests(stratum) {
  const text = readFileSync(new URL(`requests/${stratum}.jsonl`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const EXTRA = 21;
const JOINTS = [', then ', '. After that, ', ', and also ', ' – and '];
