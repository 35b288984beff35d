import { parse, TomlError } from 'smol-toml';
import { ConfigError } from './config-error.ts';
import type { SourceDocument } from './read-document.ts';

/** Reads TOML. Only the lines of tables are known, which is where servers are. */
export function parseTomlSource(source: string, text: string): SourceDocument {
  const lines = text.split('\n');
  return {
    source,
    value: parseOrRefuse(source, text),
    lineOf(path) {
      const table = path.slice(0, 2).map((step) => escapeForPattern(String(step)));
      const header = new RegExp(
        `^\\s*\\[\\s*${table.map((step) => `["']?${step}["']?`).join('\\s*\\.\\s*')}\\s*[\\].]`,
      );
      const index = lines.findIndex((line) => header.test(line));
      return index === -1 ? undefined : index + 1;
    },
  };
}

function parseOrRefuse(source: string, text: string): unknown {
  try {
    // A plain copy: the parser's tables have no prototype, and servers have no dates as values.
    return JSON.parse(JSON.stringify(parse(text)));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The first line of the message says what is wrong; the others quote the file, which may contain secrets.
    const [what = ''] = error.message.split('\n');
    const message = `The document is not valid TOML: ${what.replace(/^Invalid TOML document: /, '')}`;
    throw new ConfigError([{ source, line: error.line, path: '', message }]);
  }
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
