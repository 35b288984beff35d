import { closest, type Path, type Place, type Shape, where, wrong } from './shape.ts';
import { showValue } from './show-value.ts';

/** A variable may replace any scalar, and editors must not complain. */
const VARIABLE = { type: 'string', pattern: '\\$\\{[^}]*\\}' } as const;

export interface TextOptions {
  /** Its value never appears in a message or a description. */
  readonly isSecret?: boolean;
  /** @default any non-empty text */
  readonly pattern?: RegExp;
  /** What the pattern allows, in words. */
  readonly allowed?: string;
}

export function text(options: TextOptions = {}): Shape<string> {
  const { pattern, isSecret = false, allowed = 'a text' } = options;
  return {
    schema:
      pattern === undefined
        ? { type: 'string', minLength: 1 }
        : { anyOf: [{ type: 'string', pattern: pattern.source }, VARIABLE] },
    read(value, place) {
      // An empty variable is the usual way to unset one, so it is distinguished from a wrong value.
      if (value === '') return empty(place);
      if (typeof value === 'string' && (pattern === undefined || pattern.test(value))) return value;
      return wrong(value, place, allowed, { isSecret });
    },
  };
}

/** An argument, a header or a variable for another program: any text, also a bare number, and always treated as a secret. */
export function passedOn(): Shape<string> {
  return {
    schema: { type: ['string', 'number', 'boolean'] },
    read(value, place) {
      if (typeof value === 'string') return value;
      if (typeof value === 'number' || typeof value === 'boolean') return String(value);
      return wrong(value, place, 'a text', { isSecret: true });
    },
  };
}

export interface NumberOptions {
  readonly min: number;
  readonly max: number;
}

export function whole(options: NumberOptions): Shape<number> {
  return numeric({ ...options, type: 'integer' });
}

export function number(options: NumberOptions): Shape<number> {
  return numeric({ ...options, type: 'number' });
}

/** A time of up to a day. */
export function milliseconds(): Shape<number> {
  return whole({ min: 1, max: 24 * 60 * 60 * 1000 });
}

/** A size from one kibibyte to eight gibibytes. */
export function bytes(): Shape<number> {
  return whole({ min: 1024, max: 8 * 1024 ** 3 });
}

/** A variable's text counts as a number if it consists of digits. */
function numeric({ min, max, type }: NumberOptions & { readonly type: 'integer' | 'number' }): Shape<number> {
  const allowed = `a ${type === 'integer' ? 'whole number' : 'number'} from ${min} to ${max}`;
  return {
    schema: { anyOf: [{ type, minimum: min, maximum: max }, VARIABLE] },
    read(value, place) {
      const isDigits = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,6})?$/.test(value);
      const read = isDigits && isFromText(place) ? Number(value) : value;
      const fits =
        typeof read === 'number' && read >= min && read <= max && (type === 'number' || Number.isInteger(read));
      return fits ? read : wrong(value, place, allowed);
    },
  };
}

export function flag(): Shape<boolean> {
  return {
    schema: { anyOf: [{ type: 'boolean' }, VARIABLE] },
    read(value, place) {
      if (typeof value === 'boolean') return value;
      if (isFromText(place) && (value === 'true' || value === 'false')) return value === 'true';
      return wrong(value, place, 'true or false');
    },
  };
}

export function choice<const Choice extends string>(choices: readonly Choice[]): Shape<Choice> {
  return {
    schema: { anyOf: [{ enum: choices }, VARIABLE] },
    read(value, place) {
      const found = choices.find((known) => known === value);
      if (found !== undefined) return found;
      const near = typeof value === 'string' ? closest(value, choices) : undefined;
      return wrong(value, place, `${choices.join(', ')}${near === undefined ? '' : `. Did you mean ${near}?`}`);
    },
  };
}

/** An absolute http or https address. Credentials in it stay out of messages. */
export function webAddress(): Shape<string> {
  return {
    schema: { anyOf: [{ type: 'string', pattern: '^https?://' }, VARIABLE] },
    read(value, place) {
      if (typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)) return value;
      return wrong(value, place, 'an address that begins with http:// or https://');
    },
  };
}

function empty(place: Place): undefined {
  const template = place.template(place.path);
  const reason = template === undefined ? 'is empty' : `is empty, because ${showValue(template)} is`;
  place.report(place.path, `${where(place.path)} ${reason}; allowed: a string of at least one character`);
}

/** Variables, the environment and flags are always text. */
function isFromText(place: { readonly path: Path; template(path: Path): string | undefined }): boolean {
  return place.template(place.path) !== undefined;
}
