import { type SearchText, searchText, type Tool } from '../../catalog/index.ts';

/**
 * A tool as one text for a sentence embedder: `github create issue: Create an issue. Parameters: title body What it says`. The
 * model of `@quartermaster/reranker` was trained on this shape (`reranker_text` in its training scripts); others read it as well.
 */
export function toolSentence(tool: Tool): string {
  const text = searchText(tool, TEXT_LIMITS);
  const { server, description, parameterNames, parameterDescriptions } = text;
  const head = `${identifierWords(server)} ${identifierWords(nameWithoutServer(text))}`
    .trim()
    .slice(0, MOST.headCharacters);
  const parameters = parameterNames
    .slice(0, MOST.parameters)
    .map(identifierWords)
    .join(' ')
    .slice(0, MOST.parameterCharacters);
  const tail = parameters === '' ? '' : ` Parameters: ${parameters}`;
  const details = parameterDescriptions.join(' ').slice(0, MOST.detailCharacters);
  const end = details === '' ? '' : ` ${details}`;
  // Providers reject half a surrogate pair.
  return `${head}: ${description.slice(0, MOST.descriptionCharacters)}${tail}${end}`.replace(
    /\p{Surrogate}/gu,
    '\uFFFD',
  );
}

/** `Github_ListIssues` of server `Github` is about listing issues; the server stands apart from it anyway. */
export function nameWithoutServer({ name, server }: Pick<SearchText, 'name' | 'server'>): string {
  const starts = server !== '' && name.length > server.length && name.toLowerCase().startsWith(server.toLowerCase());
  return starts ? name.slice(server.length) : name;
}

/** `getHTTPResponse_v2` → `get HTTP Response v2`. */
function identifierWords(text: string): string {
  return text
    .replace(WORD_CHANGE, ' ')
    .replace(/[^0-9A-Za-z\u0080-\uffff]+/g, ' ')
    .trim();
}

/** `get|HTTP|Response`. Looks at three characters at each position, so a long name in capitals costs no more than any other. */
const WORD_CHANGE = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;
const MOST = {
  headCharacters: 300,
  descriptionCharacters: 1_500,
  parameters: 60,
  parameterCharacters: 600,
  detailCharacters: 240,
} as const;
/** Parameters deeper than this say little of what a tool is for. */
const TEXT_LIMITS = { depth: 6 } as const;
