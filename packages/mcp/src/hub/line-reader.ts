export interface LineReaderOptions {
  /** A longer line is passed over. */
  readonly maxLineBytes: number;
  readonly onLine: (line: string) => void;
  /** A line was too long and has been passed over. */
  readonly onOverflow: () => void;
}

/** Puts chunks of bytes together to lines. A line that never ends costs at most the bound, and only itself. */
export function createLineReader(options: LineReaderOptions): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isSkipping = false;

  const add = (part: Buffer): void => {
    if (isSkipping || part.length === 0) return;
    if (bytes + part.length > options.maxLineBytes) {
      isSkipping = true;
      parts = [];
      bytes = 0;
      options.onOverflow();
      return;
    }
    parts.push(part);
    bytes += part.length;
  };
  const end = (): void => {
    const line = isSkipping ? '' : Buffer.concat(parts, bytes).toString('utf8').trim();
    isSkipping = false;
    parts = [];
    bytes = 0;
    if (line !== '') options.onLine(line);
  };

  return (chunk) => {
    let start = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, at));
      end();
      start = at + 1;
    }
    add(chunk.subarray(start));
  };
}

const LINE_FEED = 10;
