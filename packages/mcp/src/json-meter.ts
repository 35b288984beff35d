/** How much work a JSON text is to read and to hand on, seen from its bytes before any of it is parsed. */
export interface JsonSize {
  /** Its values. A member's name that was not there before counts as ten: each costs the engine as much. */
  readonly values: number;
  /** How deep it nests at most. */
  readonly depth: number;
}

/** Counts a text that comes in pieces. */
export interface JsonMeter {
  add(bytes: Uint8Array): JsonSize;
  /** Begins with the next text. */
  reset(): void;
}

/** What one message may have. */
export interface JsonLimits {
  readonly maxValues: number;
}

/** A list of tools may have so many times more: it is asked for once, and not by clients. */
export const LIST_FACTOR = 10;

/** How many values a message may have, unless the settings say otherwise: some 20 ms to parse at the worst. */
export const MESSAGE_VALUES = 200_000;

/** `JSON.stringify` gives up at some 4,000 levels, fewer where the stack is in use; messages of real servers stay below a hundred. */
export const DEEPEST_MESSAGE = 1_000;

/**
 * A message of a few megabytes can have millions of values, whose parsing would hold up everyone else. Counting takes a nanosecond a
 * byte. What is no JSON is counted all the same; a string ends with its line, as JSON has it, so that nothing before a message hides it.
 */
export function createJsonMeter(): JsonMeter {
  let values = 0;
  let depth = 0;
  let deepest = 0;
  let isText = false;
  let isEscaped = false;
  let hash = 0;
  let stamp = nextStamp();
  return {
    add(bytes) {
      const { length } = bytes;
      for (let at = 0; at < length; at += 1) {
        const byte = bytes[at] ?? 0;
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE || byte === LINE_FEED || byte === RETURN) isText = false;
          hash = Math.imul(hash ^ byte, PRIME);
        } else if (byte === QUOTE) {
          isText = true;
          hash = SEED;
        } else if (byte === COMMA) values += 1;
        else if (byte === COLON) {
          const slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
          if (seen[slot] !== stamp) values += NEW_NAME;
          seen[slot] = stamp;
        } else if (byte === BRACKET || byte === BRACE) {
          values += 1;
          depth += 1;
          if (depth > deepest) deepest = depth;
        } else if (byte === BRACKET_END || byte === BRACE_END) depth -= 1;
      }
      return { values, depth: deepest };
    },
    reset() {
      values = 0;
      depth = 0;
      deepest = 0;
      isText = false;
      isEscaped = false;
      stamp = nextStamp();
    },
  };
}

/** Why a text is not to be parsed; undefined if it may be. */
export function findExcess({ values, depth }: JsonSize, { maxValues }: JsonLimits): string | undefined {
  if (values > maxValues) return describeValues(maxValues);
  return depth > DEEPEST_MESSAGE ? `nests deeper than ${DEEPEST_MESSAGE} levels` : undefined;
}

/** The setting counts a member name that is new as several values. */
export function describeValues(maxValues: number): string {
  return `has more than ${maxValues} JSON values (mcp.messageValues)`;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const LINE_FEED = 10;
const RETURN = 13;
const BRACKET = 91;
const BRACKET_END = 93;
const BRACE = 123;
const BRACE_END = 125;
const NEW_NAME = 10;

/** FNV-1a, from a start that no one knows, so that no names can be chosen that look the same. */
const PRIME = 16_777_619;
const SEED = Math.trunc(Math.random() * 2 ** 32);

/** Which names a text has had, by its stamp. Texts that are counted at the same time may count a name twice. */
const SLOTS = 65_536;
const seen = new Uint32Array(SLOTS);
let lastStamp = 0;

function nextStamp(): number {
  lastStamp = (lastStamp % 0xff_ff_ff_ff) + 1;
  return lastStamp;
}
