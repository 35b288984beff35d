import { parseEnv } from 'node:util';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { readClientRules } from './client-rules.ts';
import type { McpServerSettings, ServerInput, ServerNote, UnusableServer } from './config.ts';
import type { ConfigProblem } from './config-error.ts';
import type { Environment } from './expand-variables.ts';
import type { ServerBlock } from './foreign-servers.ts';
import { MCP_SERVER, type McpServerDocument } from './mcp-server-shape.ts';
import { inPlainReferences } from './plain-references.ts';
import type { SourceDocument } from './read-document.ts';
import { readSettings } from './read-settings.ts';
import { pathFrom, readSmallText, referencesOf } from './resolve-reference.ts';
import { object, record, where } from './shape.ts';
import { isOff, translateServer } from './translate-server.ts';

export interface ReadServersOptions {
  readonly document: SourceDocument;
  readonly block: ServerBlock;
  readonly env: Environment;
  /** Whether unknown keys are mistakes, as in our own file, or belong to another program. */
  readonly isOurs: boolean;
  /** Stored values of inputs. */
  readonly answers: InputAnswers;
}

/** The value of an input of a file. Undefined until it has been answered. */
export type InputAnswers = (source: string, id: string) => string | undefined;

export interface ReadServers {
  /** The file. */
  readonly source: string;
  /** By name, in the order of the file. */
  readonly servers: ReadonlyMap<string, McpServerSettings>;
  readonly unusable: readonly (UnusableServer & { readonly problems: readonly ConfigProblem[] })[];
  readonly notes: readonly ServerNote[];
  readonly inputs: readonly ServerInput[];
}

/** Reads each server separately, so that an unusable one does not affect the others. */
export function readServers(options: ReadServersOptions): ReadServers {
  const { document, block, env, answers } = options;
  const { source } = document;
  const servers = new Map<string, McpServerSettings>();
  const unusable: ReadServers['unusable'][number][] = [];
  const notes: ServerNote[] = [];
  const users = new Map<string, string[]>();
  for (const one of block.entries) {
    const rules = readClientRules(document.value, one.name);
    if (isOff(one.entry) || rules.isOff) continue;
    const resolve = referencesOf({
      ...{ file: source, env },
      answer(id) {
        users.set(id, [...(users.get(id) ?? []), one.name]);
        return answers(source, id);
      },
    });
    const read = readServer({ ...options, ...one, resolve, deny: rules.deny });
    notes.push(...[...read.notes, ...rules.notes].map((message) => ({ server: one.name, message, source })));
    const { settings, problems } = read;
    const [first] = problems;
    if (settings !== undefined && first === undefined) servers.set(one.name, settings);
    else {
      const reason = problems.map(({ message }) => message).join('; ');
      unusable.push({ name: one.name, reason, source, problems, ...defined({ line: first?.line }) });
    }
  }
  return { source, servers, unusable, notes, inputs: listInputs(source, { block, users }) };
}

interface ReadServerOptions extends ReadServersOptions {
  readonly name: string;
  readonly entry: unknown;
  readonly path: readonly (string | number)[];
  readonly resolve: NonNullable<Parameters<typeof readSettings>[1]['resolve']>;
  readonly deny: readonly string[];
}

interface ReadServer {
  readonly settings: McpServerSettings | undefined;
  readonly problems: readonly ConfigProblem[];
  readonly notes: readonly string[];
}

function readServer(options: ReadServerOptions): ReadServer {
  const { document, block, name, entry, path, env, isOurs, resolve, deny } = options;
  const { label } = block;
  const problems: ConfigProblem[] = [];
  const plain = isJsonObject(entry)
    ? (inPlainReferences(entry, { label, source: document.source }) as JsonObject)
    : undefined;
  const translated = plain === undefined ? undefined : translateServer(plain);
  const place = where([label, name]);
  const report = (message: string): void => {
    const at = { source: document.source, path: place, ...defined({ line: document.lineOf(path) }) };
    problems.push({ ...at, message: `${place} ${message}` });
  };
  for (const problem of translated?.problems ?? []) report(problem);
  // One reason is enough for an entry that only its own client can use.
  if (problems.length > 0 || translated === undefined) {
    if (translated === undefined) read(entry);
    return { settings: undefined, problems, notes: [] };
  }
  const unknown = translated.unknown;
  const ours = isOurs && plain !== undefined ? Object.fromEntries(unknown.map((key) => [key, plain[key]])) : {};
  const denied = [...(Array.isArray(translated.entry.deny) ? translated.entry.deny : []), ...deny];
  const settings = read({ ...translated.entry, ...ours, ...(denied.length === 0 ? {} : { deny: denied }) });
  const passedOver = isOurs || unknown.length === 0 ? [] : [`unknown and ignored: ${unknown.join(', ')}`];
  if (problems.length > 0) for (const note of passedOver) report(`has keys that are ${note}`);
  return {
    settings: withEnvFile(settings, { ...options, report }),
    problems,
    notes: [...translated.notes, ...passedOver],
  };

  function read(value: unknown): McpServerDocument | undefined {
    const shape = object({ [label]: { about: '', shape: record(MCP_SERVER) } });
    const only: SourceDocument = {
      source: document.source,
      value: { [label]: { [name]: value } },
      lineOf: (at) => document.lineOf([...path, ...at.slice(2)]),
    };
    return readSettings(shape, {
      document: only,
      env: { ...ownVariables(value), ...given(env) },
      problems,
      resolve,
      ignoresUnknownKeys: !isOurs,
    })?.[label]?.[name];
  }
}

/** Programs such as mcp-remote expand `${NAME}` in their arguments from the variables of their own entry. */
function ownVariables(entry: unknown): Environment {
  const variables = isJsonObject(entry) && isJsonObject(entry.env) ? Object.entries(entry.env) : [];
  const plain = variables.filter(([, value]) => typeof value === 'string' && !value.includes('${'));
  return Object.fromEntries(plain) as Environment;
}

/** An empty variable is set, and overrides the entry's own. */
function given(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}

/** Variables from a file; those in the entry override them. */
function withEnvFile(
  settings: McpServerDocument | undefined,
  { document, env, report }: ReadServerOptions & { readonly report: (message: string) => void },
): McpServerSettings | undefined {
  if (settings?.envFile === undefined) return settings;
  const { envFile, ...rest } = settings;
  if (!('command' in rest)) return rest;
  try {
    const file = pathFrom(envFile, { file: document.source, env });
    return { ...rest, env: { ...(parseEnv(readSmallText(file)) as Readonly<Record<string, string>>), ...rest.env } };
  } catch (error) {
    report(`has an envFile that can't be read: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** The inputs that servers need, as the file declares them. */
function listInputs(
  source: string,
  { block, users }: { readonly block: ServerBlock; readonly users: ReadonlyMap<string, readonly string[]> },
): readonly ServerInput[] {
  return [...users].map(([id, servers]) => {
    const about: JsonObject = block.inputs.find((one) => one.id === id) ?? {};
    const { description, options } = about;
    const choices = Array.isArray(options)
      ? options.map((one) => String(isJsonObject(one) ? one.value : one))
      : undefined;
    return {
      ...{ source, id },
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof about.default === 'string' ? { default: about.default } : {}),
      ...defined({ options: choices }),
      // An input that the file does not declare is treated as a secret.
      isSecret: about.password === true || about.id === undefined,
      servers: [...new Set(servers)],
    };
  });
}
