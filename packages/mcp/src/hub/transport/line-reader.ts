export interface LineReaderOptions {
  /** Longer lines are skipped. */
  readonly maxLineBytes: number;
  readonly onLine: (line: string) => void;
  /** Called at the end of a line that was too long and was skipped. */
  readonly onOverflow: (line: LongLine) => void;
}

/** What is kept of a skipped line. */
export interface LongLine {
  readonly bytes: number;
  /** Its first and its last characters. */
  readonly head: string;
  readonly tail: string;
}

/** Joins chunks of bytes to lines. An endless line takes no more than the limit, and affects no other line. */
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
    // A copy: a view would keep the whole buffer alive.
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
/** How many characters of either end of a skipped line are kept. */
const END_BYTES = 200;
const NOTHING = Buffer.alloc(0);
