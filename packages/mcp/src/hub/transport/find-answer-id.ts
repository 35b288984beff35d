import type { RequestId } from '@modelcontextprotocol/client';

/** The two ends of a line that is too long to read. */
export interface LineEnds {
  readonly head: string;
  readonly tail: string;
}

/**
 * Finds which request a line answers, from its two ends. Libraries write the id before the result or, as the TypeScript SDK does, after
 * it. Undefined for anything else, such as a request with the server's own id.
 */
export function findAnswerId({ head, tail }: LineEnds): RequestId | undefined {
  const before = BEFORE.exec(head);
  const found = before?.[1] ?? (ANSWER.test(head) ? AFTER.exec(tail)?.[1] : undefined);
  return found === undefined ? undefined : (JSON.parse(found) as RequestId);
}

const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const ID = String.raw`"id"\s*:\s*(0|[1-9]\d{0,14}|"[\w:.-]{1,100}")`;
const ANSWER = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?"(?:result|error)"\s*:`);
const BEFORE = new RegExp(
  String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,\s*(?:${VERSION}\s*,\s*)?"(?:result|error)"\s*:`,
);
/** Unescaped quotes right before the last brace: nothing inside the result ends a line like that. */
const AFTER = new RegExp(String.raw`[}\]"]\s*,\s*(?:${VERSION}\s*,\s*)?${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`);
