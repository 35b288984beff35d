import type { Snapshot, Tool } from '../../catalog/index.ts';
import { QueryError, SettingError } from '../../errors.ts';
import { codePointLength } from '../regex/parse/pattern-source.ts';
import { SEARCH_LIMITS, type SearchRequest } from '../searcher.ts';

/**
 * How many hits a request asks for. Throws if it is aborted, if that is out of range, and if a query is too long: cutting it would
 * answer another question.
 */
export function checkRequest(request: SearchRequest): number {
  const { signal, maxQueryLength = QUERY_LIMITS.characters } = request;
  signal?.throwIfAborted();
  const limit = resolveLimit(request.limit);
  if (allQueries(request).some((query) => hasMoreCharacters(query, maxQueryLength))) {
    throw new QueryError(
      'query_too_long',
      `The query has more than ${maxQueryLength} characters, the limit of maxQueryLength (limits.queryLength); say in a sentence or a few words what the tool should do`,
      { context: { maxQueryLength } },
    );
  }
  return limit;
}

/** The queries that a search runs. */
export function queriesOf(request: Pick<SearchRequest, 'query'>): readonly string[] {
  return allQueries(request).slice(0, QUERY_LIMITS.queries);
}

function allQueries({ query }: Pick<SearchRequest, 'query'>): readonly string[] {
  return typeof query === 'string' ? [query] : query;
}

/** Which tools, by their place in the catalog, a request may return; undefined for all. */
export function acceptOf(
  { allow }: SearchRequest,
  { tools }: Pick<Snapshot, 'tools'>,
): ((tool: number) => boolean) | undefined {
  return allow === undefined ? undefined : (tool) => allow(tools[tool] as Tool);
}

/** Whether a text has more code points than that. Reads no more of it than it has to: a code point has two code units at most. */
export function hasMoreCharacters(text: string, most: number): boolean {
  return text.length > most && codePointLength(text.slice(0, 2 * most + 1)) > most;
}

/** The limits of one search. */
export const QUERY_LIMITS = {
  /** Code points of each query, unless a request says otherwise; a longer one is rejected. */
  characters: 4_096,
  /** Words of each query; the rest is ignored. */
  words: 256,
  /** Queries of one call; the answer lists the others as `unasked`. */
  queries: 16,
} as const;

/** The queries that a search leaves out, for its answer; nothing if it answers all. */
export function unaskedQueries(query: string | readonly string[]): { readonly unasked?: readonly string[] } {
  if (typeof query === 'string' || query.length <= QUERY_LIMITS.queries) return {};
  return { unasked: query.slice(QUERY_LIMITS.queries) };
}

/** The number of hits that a request asks for, or the default. */
export function resolveLimit(limit: number | undefined): number {
  if (limit === undefined) return SEARCH_LIMITS.default;
  if (!Number.isInteger(limit) || limit < SEARCH_LIMITS.min || limit > SEARCH_LIMITS.max) {
    throw new SettingError(
      'invalid_limit',
      `Limit ${String(limit)} is not a whole number from ${SEARCH_LIMITS.min} to ${SEARCH_LIMITS.max}`,
      { context: { limit } },
    );
  }
  return limit;
}

/**
 * One list that serves several in turn: the first of each, the second of each, and so on. A tool that is already in is skipped, and
 * its list supplies the next one.
 */
export function takeTurns<Item>(
  lists: readonly (readonly Item[])[],
  limit: number,
  identify: (item: Item) => unknown,
): Item[] {
  const taken: Item[] = [];
  const seen = new Set<unknown>();
  const places = lists.map(() => 0);
  for (let isMore = true; isMore && taken.length < limit; ) {
    isMore = false;
    for (let turn = 0; turn < lists.length && taken.length < limit; turn += 1) {
      const list = lists[turn] ?? [];
      let place = places[turn] ?? 0;
      while (place < list.length && seen.has(identify(list[place] as Item))) place += 1;
      if (place < list.length) {
        const item = list[place] as Item;
        taken.push(item);
        seen.add(identify(item));
        isMore = true;
      }
      places[turn] = place + 1;
    }
  }
  return taken;
}

/** An entry of the final list, and the list that it is from. */
export interface Served<List extends Ranked> {
  readonly ranking: List['rankings'][number];
  readonly served: List;
}

/** One query's tools, best first. */
interface Ranked {
  readonly rankings: readonly { readonly tool: number }[];
}

/** One list that serves each query in turn. */
export function serveInTurn<List extends Ranked>(lists: readonly List[], limit: number): Served<List>[] {
  return takeTurns(lists.map(entriesOf), limit, ({ ranking }) => ranking.tool);
}

export function entriesOf<List extends Ranked>(served: List): Served<List>[] {
  return served.rankings.map((ranking) => ({ ranking, served }));
}

/**
 * A query with its possible operators separated. Whether one applies depends on the catalog: an operator that matches nothing is read
 * as plain words.
 */
export interface ParsedQuery {
  /** The query. */
  readonly text: string;
  /** The names of `select:A,B`, in order; empty without it. */
  readonly select: readonly string[];
  /** Each `+word` and `server:name`, with its position. */
  readonly operators: readonly QueryOperator[];
}

export interface QueryOperator {
  readonly kind: 'required' | 'server';
  /** The word, or the server's name. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Reads the operators of a query. A value with spaces is put in double quotes: `server:"Google Maps"`. */
export function parseQuery(text: string): ParsedQuery {
  const operators: QueryOperator[] = [];
  if (text.includes('+') || text.includes(':')) {
    for (const found of text.matchAll(OPERATOR)) {
      if (operators.length === MOST_OPERATORS) break;
      const value = found[2] ?? found[3] ?? found[4] ?? '';
      const end = found.index + found[0].length;
      const kind = found[2] === undefined ? 'server' : 'required';
      operators.push({ kind, value, start: end - (found[0].length - (found[1]?.length ?? 0)), end });
    }
  }
  return { text, select: parseSelect(text), operators };
}

/** The text without some of its operators: a required word stays as a plain word, a server is removed. */
export function removeOperators(text: string, operators: readonly QueryOperator[]): string {
  let rest = '';
  let at = 0;
  for (const operator of operators) {
    rest += text.slice(at, operator.start);
    rest += operator.kind === 'required' ? operator.value : '';
    at = operator.end;
  }
  return rest + text.slice(at);
}

/**
 * The operators that don't apply, as written. `select:` includes everything after it, except operators there that do apply.
 */
export function unresolvedOperators(parsed: ParsedQuery, applied: readonly QueryOperator[]): readonly string[] {
  if (parsed.select.length > 0) return [removeOperators(parsed.text, applied).trim()];
  if (applied.length === parsed.operators.length) return NONE;
  return parsed.operators
    .filter((operator) => !applied.includes(operator))
    .map(({ start, end }) => parsed.text.slice(start, end));
}

function parseSelect(text: string): string[] {
  const names = SELECT.exec(text)?.[1];
  if (names === undefined) return [];
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, MOST_SELECTED);
}

const SELECT = /^\s*select:([\s\S]+)$/i;
/** `+word`, `server:"two words"` or `server:word`, at the start or after a space. */
const OPERATOR = /(^|\s)(?:\+([\p{L}\p{N}][^\s,;]*)|server:(?:"([^"]+)"|([^\s"]+)))/giu;
const MOST_SELECTED = 256;
/** The maximum number of operators; later ones are read as words, because each is checked against every tool. */
const MOST_OPERATORS = 32;
const NONE: readonly string[] = [];

/**
 * A request without its filler: greetings, thanks and politeness. Removes only whole sentences and phrases at the edge of one, and
 * never everything: if nothing else would be left, the request is unchanged.
 */
export function removeFiller(text: string): string {
  if (!MAY_HAVE_FILLER.test(text)) return text;
  let kept = '';
  // Sentences alternate with their separators: between Chinese sentences there is none, and none is added.
  const parts = text.split(SENTENCE_BREAK);
  for (let at = 0; at < parts.length; at += 2) {
    const sentence = parts[at] ?? '';
    const rest = POLITE_SENTENCE.test(sentence) ? '' : trimEdges(sentence);
    if (!WORD.test(rest)) continue;
    const separator = kept !== '' && parts[at - 1] !== '' ? ' ' : '';
    kept += separator + rest;
  }
  return WORD.test(kept) ? kept : text;
}

/** Removes phrases at the beginning and the end until none is left; there may be several in a row. */
function trimEdges(sentence: string): string {
  let rest = sentence.trim();
  for (let round = 0; round < MOST_PHRASES; round += 1) {
    const shorter = rest
      .replace(OPENING, '')
      .replace(CLOSING, '')
      .replace(UNSPACED_OPENING, '')
      .replace(UNSPACED_CLOSING, '')
      .trim();
    if (shorter === rest) break;
    rest = shorter;
  }
  return rest;
}

const MOST_PHRASES = 6;
/** Between two sentences. A full stop inside a number, a name or an address ends nothing. */
const SENTENCE_BREAK = /((?<=[.!?…]["')\]]?)\s+|(?<=[。！？])|\n+)/u;
const WORD = /[\p{L}\p{N}]/u;

/** Greetings with the person greeted: "hi there", "good morning team", "hey Claude". */
const GREETING =
  '(?:hi+|hello+|hey+|heya|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|dear (?:all|team|support|assistant|sir|madam)|hallo|guten (?:morgen|tag|abend)|servus|moin|bonjour|bonsoir|salut|coucou|hola|buen(?:os|as) (?:d[ií]as|tardes|noches)|ol[áa]|bom dia|boa (?:tarde|noite)|ciao|buongiorno|buonasera|salve|привет|здравствуйте|добрый (?:день|вечер))(?:[ ,]+(?:there|all|everyone|everybody|team|folks|guys|again|buddy|friend|mate|assistant|claude|chatgpt|bot|zusammen|à tous|a todos))?';

const POLITENESS = [
  String.raw`(?:i )?(?:really )?hope (?:you(?:'re| are)|all is|everything is|things are|this (?:message |email |note )?finds you|you had)\b[^.!?;:]*`,
  'how are you(?: doing)?(?: today)?',
  String.raw`(?:i'm |i am )?(?:so |very |really )?sorry (?:to (?:bother|disturb|trouble|bug) you|for (?:the )?(?:bother|trouble|inconvenience|another question))\b[^.!?;:]*`,
  String.raw`(?:i )?know (?:that )?you(?:'re| are) (?:very |really |super )?busy\b[^.!?;:]*`,
  '(?:i (?:just )?(?:have|had|got) )?(?:just )?(?:a |one )?(?:quick|small|little|simple|short) (?:question|one|request|favou?r|thing)(?: for you)?',
  '(?:i (?:have|had) |got )a (?:question|request|favou?r(?: to ask)?)(?: for you)?',
  "(?:i )?(?:was|am|i'm|been) (?:just )?wondering (?:if|whether) (?:you|someone|anyone) (?:could|can|might)(?: be able to)?(?: please)?(?: help(?: me)?(?: out)?(?: with (?:something|this))?)?(?: today)?",
  '(?:can|could|would|will) (?:you|someone|anyone)(?: please| kindly| maybe| possibly)? help(?: me| us)?(?: out)?(?: with (?:something|this|that))?(?: today)?(?=[,.!?:;]|$)',
  '(?:i )?(?:need|could use) (?:your |some |a bit of |a little )?help(?: here)?(?: with (?:something|this))?(?=[,.!?:;]|$)',
  "(?:when|if) you(?: get| have|'ve got)(?: got)? (?:a |some )?(?:chance|moment|minute|second|sec|time)",
  "if (?:it's|it is|that's|that is) (?:not too much (?:trouble|to ask)|possible|ok(?:ay)?|alright)(?: with you)?",
];
const OPENINGS = [
  GREETING,
  ...POLITENESS,
  String.raw`(?:ok(?:ay)?|so|well|um+|uh+|hmm+|right|alright|anyway|btw|by the way)(?=,| so\b)`,
  '(?:would|do) you mind(?: please)?',
  '(?:could|can|would|will) you (?:please|kindly|maybe|possibly)',
  "(?:please|pls|plz|kindly|bitte|s'il (?:vous|te) pla[iî]t|por favor|per favore|пожалуйста)",
  '(?:thanks|thank you)(?: so much| a lot| in advance)?(?=[,:])',
];
const CLOSINGS = [
  String.raw`(?:many |so many |a thousand )?thanks?(?: you| u)?(?: (?:so|very) much| a (?:lot|bunch|million|ton)| in advance| again| tons| loads| for (?:your|the|any|all(?: your)?)(?: \w+)? (?:help|time|support|assistance|patience|understanding))*`,
  "(?:thx|tysm|ty|cheers|merci(?: beaucoup| d'avance)?|danke(?: schön| im voraus)?|vielen dank(?: im voraus)?|(?:muchas )?gracias(?: de antemano)?|(?:muito )?obrigad[oa]|grazie(?: mille)?|спасибо(?: большое| заранее)?)",
  "(?:i(?:'d|'ll| would| will)? )?(?:would )?(?:really |greatly |very much |truly )?appreciate (?:it|that|your (?:help|time|support)|any help)(?: (?:a lot|very much|greatly))?",
  '(?:much|greatly|highly|very much) appreciated',
  "(?:that|it|this)(?:'d| would|'ll| will)? be (?:(?:really|very|super|so) )?(?:great|awesome|amazing|nice|helpful|perfect|lovely|wonderful|fantastic|much appreciated)",
  'have a (?:nice|great|good|lovely|wonderful) (?:day|one|evening|weekend|afternoon|week)(?: ahead)?',
  String.raw`(?:best|kind|warm|many)(?: regards| wishes)?(?=[,.!]|$)(?:, ?\p{Lu}\p{L}+)?`,
  String.raw`(?:(?:best|kind|warm|with kind|with best) )?regards(?:, ?\p{L}+)?`,
  "(?:take your time|no (?:rush|hurry|worries|pressure)|you(?:'re| are) (?:the best|a (?:star|lifesaver|legend))|you rock|talk soon|see you)",
  "(?:please|pls|plz|bitte|por favor|s'il (?:vous|te) pla[iî]t|per favore|пожалуйста)",
  "(?:please )?let me know(?: (?:how it goes|what you (?:find|think)|once (?:it's |you're )?done|when (?:it's |you're )?done|if (?:that|this|it) (?:works|is possible|helps)|if you need anything(?: else)?(?: from me)?))?(?=[.!?,]|$)",
  ...POLITENESS,
];
/** Sentences that are polite as a whole, whatever they continue with: "Thank you for your time and your patience." */
const POLITE_SENTENCE =
  /^\s*(?:(?:many |so many )?thanks?(?: you)?(?: (?:so|very) much| a lot| again| in advance)?(?: (?:for|and)\b[^.!?;:]{0,80})?|(?:i(?:'m| am) )?looking forward to (?:your|hearing|it)[^.!?;:]{0,60}|(?:kind|best|warm) (?:regards|wishes)[^.!?;:]{0,40}|sincerely[^.!?;:]{0,40}|(?:i )?(?:really )?hope (?:you(?:'re| are)|all is|everything is|this)[^.!?;:]{0,80}|sorry (?:to|for)[^.!?;:]{0,80}|nice to meet you[^.!?;:]{0,40})[.!\s]*$/iu;
const EDGE = String.raw`[\s,;:!.?…\-–—()]*`;
const OPENING = new RegExp(String.raw`^${EDGE}(?:${OPENINGS.join('|')})(?![\p{L}\p{N}'])${EDGE}`, 'iu');
const CLOSING = new RegExp(String.raw`(?:^|[\s,;:!.?…\-–—(]+)(?:and )?(?:${CLOSINGS.join('|')})${EDGE}$`, 'iu');
/** Chinese, Japanese and Korean, where no space ends a phrase. */
const UNSPACED_OPENING =
  /^[\s，。！、：,!]*(?:你好|您好|大家好|早上好|请(?![求假柬客教])|請(?!求)|麻烦(?:你|您)|こんにちは|こんばんは|おはようございます|すみません|안녕하세요)[\s，。！、：,!]*/u;
const UNSPACED_CLOSING =
  /[\s，。！、,!]*(?:谢谢(?:你|您)?|多谢|感谢|ありがとう(?:ございます)?|よろしくお願いします|お願いします|감사합니다|고마워요?|부탁(?:해요|드립니다))[\s，。！、,!.]*$/u;
/** Most queries are a few words without filler. */
const MAY_HAVE_FILLER =
  /\b(?:hi+|hello|hey|heya|hiya|howdy|yo|greetings|good|dear|hope|how are|sorry|busy|quick|small|question|favou?r|wondering|help|need|you|please|pls|plz|kindly|ok|okay|so|well|um+|uh+|hmm+|right|alright|anyway|btw|by the|thanks?|thx|ty|tysm|cheers|appreciated?|be|have a|regards|best|kind|rush|looking|sincerely|nice|let me|when|if|hallo|guten|servus|moin|bonjour|bonsoir|salut|coucou|hola|buen[oa]s|ciao|buongiorno|buonasera|salve|bom|boa|bitte|danke|vielen|merci|gracias|obrigad[oa]|grazie|por|per|s'il)\b|ol[áa]|[^ -~]/i;
