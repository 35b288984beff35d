import { createSnapshot, createToolbox, type Tool, type Toolbox, type ToolboxOptions } from '@quartermaster/core';
import { applyPolicies, NAME_TEMPLATES, type PolicyRules } from '@quartermaster/core/catalog';
import {
  capabilitiesOf,
  chooseForm,
  type FormName,
  type TransportCapabilities,
  type TransportTable,
} from '@quartermaster/core/disclosure';
import type { Caller, SearcherSource } from '@quartermaster/core/dispatch';
import { contextWindow } from '@quartermaster/core/gate';
import {
  checkOptionNames,
  checkToolboxOptions,
  defined,
  PLAN_SETTINGS,
  readFormChoice,
  readWholeNumber,
  SEARCH_SETTINGS,
} from '@quartermaster/core/internal';
import {
  createTranscriptCache,
  type LoopOptions,
  type PlanQuestion,
  type TranscriptStore,
} from '@quartermaster/core/loop';
import { createEmbeddedSearcher } from '@quartermaster/semantic';

/**
 * How an adapter searches: all options of a toolbox except the catalog, which is what each request declares, and the
 * execution of tools, which stays with the client.
 */
export interface ToolSearchOptions extends Omit<ToolboxOptions, 'tools' | 'execute' | 'hooks' | 'form' | 'searcher'> {
  /** The searcher, or a function that creates it for a snapshot. @default hybrid with the embedded model */
  readonly searcher?: SearcherSource;
  /**
   * How schemas reach the model; `client` if the client brings its own search. A form that the transport can't carry becomes
   * `bridge`. @default auto
   */
  readonly form?: FormName | 'auto';
  /** What the host supports, as a row of `transports`. @default the dialect's own row */
  readonly transport?: string;
  /** @default TRANSPORTS */
  readonly transports?: TransportTable;
  /** Which tools may be deferred, if the gate does not decide. */
  readonly policies?: PolicyRules;
  /** Who makes these requests. @default a caller that may use everything */
  readonly caller?: Caller;
  /** The model's context window, for the gate. @default from the model's name */
  readonly contextTokens?: number;
  /** How many times the model may be asked for one response, at least 1. @default 12 */
  readonly maxRounds?: number;
  /** Whether the latest user message is searched before the model is asked. @default false */
  readonly prefetch?: boolean;
  /**
   * Where searches and refused calls that the client does not see are kept until it sends the response back. It must belong to
   * this client alone. `false` keeps nothing.
   * @default up to 32 MiB in memory
   */
  readonly transcript?: TranscriptStore | false;
}

/** An adapter's protocol and its usual host. */
export interface AdapterTransport {
  /** As a row of `transports`. */
  readonly name: string;
  readonly maxNameLength: number;
  /** Where `{server}` and `{tool}` go in the names that the model sees. @default the tool's own name */
  readonly nameTemplate?: string;
  /** Whether requests can have marks, references and searches of the host. @default they have only functions */
  readonly hasSearch?: boolean;
  /** The adapter's own options, which it has already read. @default none */
  readonly ownOptions?: Readonly<Record<string, true>>;
}

export interface RequestToolboxes {
  /** The toolbox for these tools; `key` is their content as text, and the same content returns the same toolbox. */
  toolbox(tools: readonly Tool[], key: string): Toolbox;
  /** What to plan with, and what the host supports. The options' `transport` comes first, the adapter's own last. */
  settings(
    model: string | undefined,
    asked?: { readonly transport?: string | undefined; readonly isClient?: boolean },
  ): Pick<PlanQuestion<unknown, unknown>, 'limits' | 'options'> & { readonly can: TransportCapabilities };
}

/** How many tool lists stay indexed. Content only: no conversation leaves a trace here. */
const MOST_TOOLBOXES = 8;
/** The limit of their memory together, without the latest. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The memory of tools per character of the text that they were read from, including the text. */
const BYTES_PER_CHARACTER = 4;

/** Toolboxes over what requests declare, each built once for as long as the same tools are used. */
export function requestToolboxes(
  options: ToolSearchOptions & Pick<ToolboxOptions, 'execute' | 'hooks'>,
  adapter: AdapterTransport,
): RequestToolboxes {
  checkOptions(options, adapter.ownOptions ?? {});
  const { form, policies, caller, contextTokens, maxRounds: _, prefetch: __, transcript: ___, ...searching } = options;
  const { transport: given, transports: table, searcher = createEmbeddedSearcher, ...rest } = searching;
  const kept = new Map<string, Toolbox>();
  return {
    toolbox(tools, key) {
      const known = kept.get(key);
      if (known !== undefined) {
        kept.delete(key);
        kept.set(key, known);
        return known;
      }
      const catalog = policies === undefined ? tools : applyPolicies(tools, policies);
      const { maxNameLength, nameTemplate = NAME_TEMPLATES.plain } = adapter;
      const snapshot = createSnapshot(catalog, { nameTemplate, maxNameLength });
      const toolbox = createToolbox({ ...rest, searcher, tools: snapshot });
      kept.set(key, toolbox);
      dropOldest(kept);
      return toolbox;
    },
    settings(model, { transport = adapter.name, isClient = false } = {}) {
      const known = capabilitiesOf(given ?? transport, { model, table });
      const can = adapter.hasSearch === true ? known : { ...known, ...UNSPOKEN };
      return {
        can,
        limits: contextWindow({ override: contextTokens, model }),
        options: { form: chooseForm(can, isClient ? 'client' : form).form, ...defined({ caller }) },
      };
    },
  };
}

/** At once, not with the first request. */
function checkOptions(options: ToolSearchOptions, ownOptions: object): void {
  const own = 'transport transports policies caller contextTokens maxRounds prefetch transcript';
  checkOptionNames('tool search', options, `${SEARCH_SETTINGS} ${PLAN_SETTINGS} ${own}`, ownOptions);
  checkToolboxOptions(options);
  const { form, maxRounds, contextTokens } = options;
  if (form !== undefined) readFormChoice(form);
  if (maxRounds !== undefined) readWholeNumber('maxRounds', maxRounds);
  if (contextTokens !== undefined) readWholeNumber('contextTokens', contextTokens);
}

function dropOldest(kept: Map<string, Toolbox>): void {
  let bytes = 0;
  let count = 0;
  for (const [key, toolbox] of [...kept].reverse()) {
    bytes += key.length * BYTES_PER_CHARACTER + toolbox.byteLength();
    count += 1;
    if (count > 1 && (count > MOST_TOOLBOXES || bytes > MOST_BYTES)) kept.delete(key);
  }
}

/** What a dialect of functions can't express: the host's own row would lead to half of a pair being sent. */
const UNSPOKEN = { references: false, clientSearch: false, hostedSearch: [], deferMark: false } as const;

/** The adapter's options for `runLoop`. Called once per adapter: its requests share a transcript. */
export function loopSettings(
  options: ToolSearchOptions,
): Pick<LoopOptions<unknown, unknown>, 'caller' | 'maxRounds' | 'prefetch' | 'transcript'> {
  const { caller, maxRounds, prefetch, transcript = createTranscriptCache().storeFor('') } = options;
  return {
    ...defined({ caller, maxRounds, prefetch }),
    ...(transcript === false ? {} : { transcript }),
  };
}
