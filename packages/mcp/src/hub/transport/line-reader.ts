export interface LineReaderOptions {
  /** A longer line is passed over. */
  readonly maxLineBytes: number;
  readonly onLine: (line: string) => void;
  /** A line was too long and has been passed over. Called at its end. */
  readonly onOverflow: (line: LongLine) => void;
}

/** What is kept of a line that is too long. */
export interface LongLine {
  readonly bytes: number;
  /** Its first characters, and its last. */
  readonly head: string;
  readonly tail: string;
}

/** Puts chunks of bytes together to lines. A line that never ends costs at most the bound, and only itself. */
export function createLineReader(options: LineReaderOptions): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  let head: Buffer | undefined;
  let tail: Buffer = NOTHING;

  const add = (part: Buffer): void => {
    if (part.length === 0) return;
    bytes += part.length;
    if (head === undefined) parts.push(part);
    if (bytes <= options.maxLineBytes) return;
    head ??= Buffer.concat(parts, Math.min(bytes, END_BYTES));
    // A copy: a piece of a large buffer keeps all of it.
    tail = Buffer.from(Buffer.concat([tail, ...(parts.length === 0 ? [part] : parts)]).subarray(-END_BYTES));
    parts = [];
  };
  const end = (): void => {
    const line = head === undefined ? Buffer.concat(parts, bytes).toString('utf8').trim() : '';
    if (head !== undefined) options.onOverflow({ bytes, head: head.toString('utf8'), tail: tail.toString('utf8') });
    parts = [];
    bytes = 0;
    head = undefined;
    tail = NOTHING;
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
/** How much of either end is kept of a line that is too long. */
const END_BYTES = 200;
const NOTHING = Buffer.alloc(0);
