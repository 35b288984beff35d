import { isJsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { ConfigProblem } from './config-error.ts';
import { type Environment, expandVariables, pathKey, type ResolveReference } from './expand-variables.ts';
import type { Override } from './overrides.ts';
import type { SourceDocument } from './read-document.ts';
import { type Path, type Shape, where } from './shape.ts';

export interface Reading {
  readonly document: SourceDocument;
  readonly env: Environment;
  /** Problems are added here. */
  readonly problems: ConfigProblem[];
  readonly overrides?: readonly Override[];
  readonly ignoresUnknownKeys?: boolean;
  /** References that are not variables. @default none */
  readonly resolve?: ResolveReference;
}

/** Expands variables, applies overrides and reads; every problem is traced to its file and line, its variable or its flag. */
export function readSettings<Value>(shape: Shape<Value>, reading: Reading): Value | undefined {
  const { document, env, problems, overrides = [], ignoresUnknownKeys = false, resolve } = reading;
  const { value, templates, problems: unresolved } = expandVariables(document.value ?? {}, env, resolve);
  const origins = new Map<string, Override>(overrides.map((override) => [pathKey(override.path), override]));

  function report(path: Path, message: string, variable?: string): void {
    const override = path
      .map((_, index) => origins.get(pathKey(path.slice(0, index + 1))))
      .find((origin) => origin !== undefined);
    const line = override === undefined ? document.lineOf(path) : undefined;
    problems.push({
      source: override?.source ?? document.source,
      path: path.length === 0 ? '' : where(path),
      message,
      ...defined({ line, variable }),
    });
  }

  for (const { path, problem, variable } of unresolved) {
    if (!origins.has(pathKey(path))) report(path, `${where(path)} ${problem}`, variable);
  }
  const broken = new Set(unresolved.map(({ path }) => pathKey(path)));
  return shape.read(overrides.reduce(applyOverride, value), {
    path: [],
    // A value whose variable is missing has one problem, not two.
    report: (path, message) =>
      broken.has(pathKey(path)) && !origins.has(pathKey(path)) ? undefined : report(path, message),
    template(path) {
      const override = origins.get(pathKey(path))?.value;
      return typeof override === 'string' ? override : templates.get(pathKey(path));
    },
    ignoresUnknownKeys,
  });
}

/** A copy of the document with the value in it. A document that is not a block is left for the reader to reject. */
function applyOverride(document: unknown, { path, value, clears }: Override): unknown {
  const cleared = clears === undefined ? document : setAt(document, clears, null);
  return setAt(cleared, path, value);
}

function setAt(document: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (document !== null && document !== undefined && !isJsonObject(document)) return document;
  return { ...document, [step]: setAt(document?.[step], rest, value) };
}
