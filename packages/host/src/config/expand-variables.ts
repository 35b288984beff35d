import { isJsonObject } from '@quartermaster/core/catalog';
import type { Path } from './shape.ts';

export interface Expansion {
  readonly value: unknown;
  /** The original text of every value that contained a variable, by `pathKey`. */
  readonly templates: ReadonlyMap<string, string>;
  readonly problems: readonly ExpansionProblem[];
}

interface ExpansionProblem {
  readonly path: Path;
  readonly problem: string;
  /** The variable that is not set. */
  readonly variable?: string;
}

/** The value of a reference that is not a variable's name. Undefined for one without a meaning. */
export type ResolveReference = (
  reference: string,
) => { readonly value: string } | { readonly problem: string } | undefined;

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Deeper than any settings; a document made to exhaust the stack stops here. */
const MOST_DEPTH = 100;

const REFERENCE = /\$\$\{|\$\{([^}]*)\}/g;
const NAME = /^(?:env:)?([A-Za-z_]\w*)(?::-([\s\S]*))?$/;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every text of a document. As in a shell, the default also replaces an
 * empty variable. `${env:NAME}`, as some clients write it, is the same; `$${` is a plain `${`. Keys are not changed.
 */
export function expandVariables(
  document: unknown,
  environment: Environment,
  resolve: ResolveReference = () => undefined,
): Expansion {
  const templates = new Map<string, string>();
  const problems: ExpansionProblem[] = [];

  function expand(value: unknown, path: Path): unknown {
    if (path.length > MOST_DEPTH) {
      problems.push({ path: path.slice(0, 8), problem: `is nested more than ${MOST_DEPTH} levels deep` });
      return null;
    }
    if (typeof value === 'string') return value.includes('${') ? expandText(value, path) : value;
    if (Array.isArray(value)) return value.map((item, index) => expand(item, [...path, index]));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, [...path, key])]));
  }

  function expandText(text: string, path: Path): string {
    templates.set(pathKey(path), text);
    return text.replace(REFERENCE, (reference, inside: string | undefined) => {
      if (inside === undefined) return '${';
      const special = resolve(inside);
      if (special !== undefined) {
        if ('value' in special) return special.value;
        problems.push({ path, problem: special.problem });
        return '';
      }
      const [, name, fallback] = NAME.exec(inside) ?? [];
      if (name === undefined) {
        problems.push({
          path,
          problem: `has ${JSON.stringify(reference.slice(0, 60))} in it, which is neither \${NAME} nor \${NAME:-default}`,
        });
        return '';
      }
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      if (value !== undefined && (value !== '' || fallback === undefined)) return value;
      if (fallback !== undefined) return fallback;
      problems.push({
        path,
        problem: `needs the environment variable ${name}, which is not set; set it, or write \${${name}:-default}`,
        variable: name,
      });
      return '';
    });
  }

  return { value: expand(document, []), templates, problems };
}

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}
