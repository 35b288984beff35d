import { readFileSync, statSync } from 'node:fs';
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLParseError,
} from 'yaml';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { parseTomlSource } from './parse-toml.ts';
import type { Path } from './shape.ts';

/** A parsed file that knows the lines of its values. */
export interface SourceDocument {
  readonly source: string;
  /** `null` for an empty file. */
  readonly value: unknown;
  /** The line of a value, or of the nearest block around it that exists. */
  lineOf(path: Path): number | undefined;
}

/** Settings are pages, not books. */
const MOST_BYTES = 4_000_000;

/** Reads a TOML, YAML or JSON file; the YAML parser reads JSON too. `clean` removes what only the client itself accepts. */
export function readDocument(file: string, clean: (text: string) => string = (text) => text): SourceDocument {
  try {
    if (statSync(file).size > MOST_BYTES) throw problem(file, `has more than ${MOST_BYTES} bytes`);
    const text = readFileSync(file, 'utf8');
    return file.endsWith('.toml') ? parseTomlSource(file, text) : parseSource(file, clean(text));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError([{ source: file, path: '', message: explainReading(error) }]);
  }
}

export function parseSource(source: string, text: string): SourceDocument {
  const lines = new LineCounter();
  // Without `prettyErrors` messages quote nothing from the file, which may contain secrets.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, merge: true });
  if (document.errors.length > 0) {
    throw new ConfigError(
      /\.jsonc?$/.test(source)
        ? [jsonProblem({ source, text, lines }, document.errors)]
        : yamlProblems(source, lines, document.errors),
    );
  }
  return {
    source,
    value: document.toJS(),
    lineOf(path) {
      const at = findOffset(document.contents, path, (node) => (isAlias(node) ? node.resolve(document) : node));
      return at === undefined ? undefined : lines.linePos(at).line;
    },
  };
}

function yamlProblems(source: string, lines: LineCounter, errors: readonly YAMLParseError[]): readonly ConfigProblem[] {
  return errors.map(({ pos, message }) => {
    const { line } = lines.linePos(pos[0]);
    return { source, line, path: '', message: `The document is not valid YAML: ${withoutQuotes(message)}` };
  });
}

/** The path is already in the message, and the system's text would repeat it. */
function explainReading(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'There is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'No permission to read the file';
  if (code === 'EISDIR') return 'This is a directory, not a file';
  return `The file can't be read: ${error instanceof Error ? error.message : String(error)}`;
}

/** The parser explains mistakes in YAML's terms, which the author of a JSON file may not know, and finds some of them late. */
function jsonProblem(
  { source, text, lines }: { readonly source: string; readonly text: string; readonly lines: LineCounter },
  [first]: readonly YAMLParseError[],
): ConfigProblem {
  const { line, col } = lines.linePos(offsetOfJsonError(text) ?? first?.pos[0] ?? 0);
  return { source, line, path: '', message: `The document is not valid JSON, from column ${col} on` };
}

/** Where reading it as JSON fails, apart from trailing commas, which are accepted here. Undefined if the engine does not say. */
function offsetOfJsonError(text: string): number | undefined {
  try {
    JSON.parse(text.replace(STRING_OR_TRAILING_COMMA, (found) => (found === ',' ? ' ' : found)));
    return undefined;
  } catch (error) {
    const at = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    return at === undefined ? undefined : Number(at);
  }
}

const STRING_OR_TRAILING_COMMA = /"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g;

type Resolve = (node: Node) => Node | undefined;

function findOffset(root: Node | null, path: Path, resolve: Resolve): number | undefined {
  let node: Node | undefined = root ?? undefined;
  let offset = node?.range?.[0];
  for (const step of path) {
    const container: Node | undefined = node === undefined ? undefined : resolve(node);
    const next = stepInto(container, step);
    if (next === undefined) return offset;
    offset = next.offset ?? offset;
    node = next.node;
  }
  return offset;
}

function stepInto(
  container: Node | undefined,
  step: string | number,
): { readonly offset: number | undefined; readonly node: Node | undefined } | undefined {
  if (isSeq(container) && typeof step === 'number') {
    const item = container.items[step];
    return isNode(item) ? { offset: item.range?.[0], node: item } : undefined;
  }
  if (!isMap(container)) return undefined;
  const pair = container.items.find(({ key }) => isScalar(key) && String(key.value) === step);
  if (pair === undefined || !isNode(pair.key)) return undefined;
  return { offset: pair.key.range?.[0], node: isNode(pair.value) ? pair.value : undefined };
}

/** Some of the parser's messages end with the unexpected text. */
function withoutQuotes(message: string): string {
  return message.replace(/: ".*$/s, '');
}

function problem(source: string, what: string): ConfigError {
  return new ConfigError([{ source, path: '', message: `The file ${what}` }]);
}
