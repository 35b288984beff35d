import type { Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { defined, memoized } from '@quartermaster/core/internal';
import { digest } from '../digest.ts';
import type { Pin, StoredListing } from '../store/index.ts';
import {
  isCutAlike,
  type ListedDefinition,
  listDefinition,
  type ReadDefinition,
  type ReadDefinitions,
  readDefinitions,
} from './definitions/index.ts';
import type { HubContext } from './hub-options.ts';
import { type ServerSettings, settingsKey } from './server-settings.ts';
import {
  comparePins,
  type DefinitionChange,
  findSuspicions,
  type PinComparison,
  type Suspicion,
} from './trust/index.ts';

/** What a server says about itself. */
export interface Announced {
  readonly tools: readonly ListedDefinition[];
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  /** Where its list was cut off, if it was. */
  readonly stopped?: string;
  /** How many of its tools can't be used, and the reason for one of them. */
  readonly unreadable?: string;
}

/** What is known about a server's tools. */
interface Known extends PinComparison {
  /** Tools that are left out because of their definitions. */
  readonly withheld: readonly ReadDefinition[];
  /** The input that it was made from. */
  readonly about: Announced;
  readonly problems: readonly string[];
}

type ToolSuspicion = Suspicion & { readonly tool: string };

export interface ServerCatalogOptions {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly context: HubContext;
}

const NOTHING: readonly ReadDefinition[] = [];

/** One server's tools, compared with what was accepted, and stored for the next run. */
export class ServerCatalog {
  readonly #options: ServerCatalogOptions;
  readonly #key: string;
  #known: Known | undefined;
  /** Identifies the last listing of this run. */
  #listed: string | undefined;
  readonly #reported = new Map<string, string>();
  readonly #read = new WeakMap<ListedDefinition, ReadDefinition>();

  constructor(options: ServerCatalogOptions) {
    this.#options = options;
    this.#key = settingsKey(options.name, options.settings);
  }

  get isKnown(): boolean {
    return this.#known !== undefined;
  }

  /** Whether the server has listed its tools in this run. */
  get isListed(): boolean {
    return this.#listed !== undefined;
  }

  get about(): Announced | undefined {
    return this.#known?.about;
  }

  get used(): readonly ReadDefinition[] {
    return this.#known?.used ?? NOTHING;
  }

  /** The same array until another list is taken. */
  get tools(): readonly Tool[] {
    return toolsOf(this.used);
  }

  get problems(): readonly string[] {
    return this.#known?.problems ?? [];
  }

  /** Changed definitions that are used anyway. */
  get changedInUse(): readonly DefinitionChange[] {
    return this.#known?.changes.filter((change) => !change.isHeld) ?? [];
  }

  /** Changed definitions that have not been accepted. */
  get held(): readonly DefinitionChange[] {
    return this.#known?.changes.filter((change) => change.isHeld) ?? [];
  }

  /** Why some of what the server lists is not among its tools. */
  get missing(): readonly string[] {
    const { stopped, unreadable } = this.#known?.about ?? {};
    const withheld = this.#known?.withheld ?? [];
    return [
      ...(withheld.length === 0 ? [] : [describeWithheld(withheld)]),
      ...(stopped === undefined ? [] : [`its list was cut off ${stopped}`]),
      ...(unreadable === undefined ? [] : [unreadable]),
    ];
  }

  findings(tool: Tool): readonly Suspicion[] {
    if (this.#options.context.findings === 'off') return [];
    const one = byId(this.used).get(tool.id);
    return one === undefined ? [] : suspicionsOf(one);
  }

  suspicions(): readonly ToolSuspicion[] {
    const known = this.#options.context.findings === 'off' ? undefined : this.#known;
    return known === undefined ? [] : suspicionsIn(known);
  }

  /** Loads the listing of an earlier run. Returns whether there was one that needs no update. */
  async restore(): Promise<boolean> {
    const { listings, limits } = this.#options.context;
    const stored = await listings.get(this.#key);
    if (stored === undefined) return false;
    if (this.#known === undefined) await this.#take({ ...stored, tools: stored.tools.map(listDefinition) });
    return stored.stopped === undefined || isCutAlike(stored.stopped, limits);
  }

  /** Takes and stores the server's current list. Returns whether it is the same as before in this run. */
  async update(announced: Announced): Promise<boolean> {
    const tools = this.#keepKnown(announced.tools);
    const definitions = this.#readAll(tools);
    const about = { ...announced, tools, ...defined({ unreadable: definitions.unreadable }) };
    const listing = toListing(about);
    const mark = [listing.hash, about.stopped, definitions.unreadable].join(' ');
    const isSame = mark === this.#listed;
    this.#listed = mark;
    if (!isSame) await this.#options.context.listings.put(this.#key, listing);
    await this.#take(about, definitions);
    return isSame;
  }

  /** Accepts the current definitions. Returns whether any had changed. */
  async accept(isAccepted: (change: DefinitionChange) => boolean): Promise<boolean> {
    const known = this.#known;
    if (known === undefined) return false;
    const accepted = new Set(known.changes.filter(isAccepted).map((change) => change.after.name));
    if (accepted.size === 0) return false;
    const { about } = known;
    const definitions = this.#readAll(about.tools);
    const kept = known.pins.filter((pin) => !accepted.has(pin.tool));
    const now = definitions.read
      .filter(({ tool }) => accepted.has(tool.name))
      .map(({ tool, hash, definition }) => ({ tool: tool.name, hash, definition }));
    await this.#options.context.pins.put(this.#key, [...kept, ...now]);
    await this.#take(about, definitions);
    return true;
  }

  #readAll(tools: readonly ListedDefinition[]): ReadDefinitions {
    const { name, settings } = this.#options;
    return readDefinitions(tools, { ...settings, server: name, known: this.#read });
  }

  /** The same objects for definitions that were listed before: all that is known of their tools stays known. */
  #keepKnown(tools: readonly ListedDefinition[]): readonly ListedDefinition[] {
    const before = new Map(this.#known?.about.tools.map((one) => [one.text, one]));
    return tools.map((one) => (one.text === undefined ? one : (before.get(one.text) ?? one)));
  }

  async #take(about: Announced, definitions: ReadDefinitions = this.#readAll(about.tools)): Promise<void> {
    const { name, context } = this.#options;
    const { stopped } = about;
    const { read, problems } = definitions;
    const before: readonly Pin[] = await context.pins.get(this.#key);
    const comparison = comparePins(read, before, { server: name, quarantine: context.quarantine });
    if (comparison.pins !== before) await context.pins.put(this.#key, comparison.pins);
    const isWithheld = (one: ReadDefinition): boolean =>
      context.findings === 'withhold' && suspicionsOf(one).length > 0;
    const withheld = comparison.used.filter(isWithheld);
    this.#known = {
      ...comparison,
      used: withheld.length === 0 ? comparison.used : comparison.used.filter((one) => !isWithheld(one)),
      withheld,
      about,
      problems: [...(stopped === undefined ? [] : [`The list was cut off ${stopped}`]), ...problems],
    };
    this.#report();
    context.emit({ kind: 'server-change', server: name });
  }

  /** Once per definition: every later list shares it. */
  #report(): void {
    const { name, context } = this.#options;
    const { about, withheld = [], changes = [] } = this.#known ?? {};
    if (about?.stopped !== undefined)
      context.emit({ kind: 'listing-cut', server: name, reason: `its list was cut off ${about.stopped}` });
    const isNews = (tool: string, hash: string): boolean => {
      const wasReported = this.#reported.get(tool) === hash;
      this.#reported.set(tool, hash);
      return !wasReported;
    };
    for (const one of withheld) {
      const [suspicion] = suspicionsOf(one);
      if (suspicion !== undefined && isNews(one.tool.id, one.hash))
        context.emit({ kind: 'tool-withheld', tool: one.tool.id, suspicion });
    }
    for (const change of changes)
      if (isNews(change.tool, change.hash)) context.emit({ kind: 'definition-change', change });
  }
}

/** What can't be serialized can't be stored; the reader of definitions has reported it. */
function toListing({ tools, ...about }: Announced): StoredListing {
  const kept = tools.filter(({ value, text }) => isJsonObject(value) && text !== undefined);
  return {
    ...about,
    hash: digest(kept.map(({ text }) => `${text}\n`)),
    tools: kept.map(({ value }) => value).filter(isJsonObject),
  };
}

const MOST_WITHHELD_NAMED = 5;

function describeWithheld(withheld: readonly ReadDefinition[]): string {
  const named = withheld
    .slice(0, MOST_WITHHELD_NAMED)
    .map((one) => `${one.tool.name} (${suspicionsOf(one)[0]?.kind ?? ''})`);
  const rest = withheld.length - named.length;
  return `withheld because of their definitions: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** By id, because a policy in the settings makes another object of a tool. Each turn renders all answers of a conversation again. */
const byId = memoized((used: readonly ReadDefinition[]) => new Map(used.map((one) => [one.tool.id, one])));

const toolsOf = memoized((used: readonly ReadDefinition[]): readonly Tool[] => used.map((one) => one.tool));

/** Checked when first asked for, so that startup does not wait for it. */
const suspicionsOf = memoized((one: ReadDefinition): readonly Suspicion[] => findSuspicions(one.definition));

/** Once per list: the status is read with every change of a connection. */
const suspicionsIn = memoized(({ withheld, used }: Known): readonly ToolSuspicion[] =>
  [...withheld, ...used].flatMap((one) => suspicionsOf(one).map((suspicion) => ({ tool: one.tool.id, ...suspicion }))),
);
