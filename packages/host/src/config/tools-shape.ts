import { POLICIES, type Policy } from '@quartermaster/core/catalog';
import { SettingError } from '@quartermaster/core/errors';
import { type GateSettings, readHermesToolSearch } from '@quartermaster/core/gate';
import { choice, number, text, whole } from './scalar-shapes.ts';
import { listOf, object, record, type Shape } from './shape.ts';

/** The `tools` block as written, before its pins and policies become rules. */
export interface ToolsDocument {
  /** Absent if nothing is written, which differs from writing the default: see `deferral`. */
  readonly tool_search?: GateSettings;
  readonly pins: readonly string[] | 'auto';
  readonly policies: Readonly<Record<string, Policy>>;
  readonly listing_tokens: number;
}

const TOOL_SEARCH_BLOCK = object({
  enabled: { about: 'auto defers from threshold_pct on; on always defers; off never does.', shape: onOffAuto() },
  threshold_pct: {
    about: 'The share of the context window, in percent, from which tools are deferred.',
    shape: number({ min: 0, max: 100 }),
  },
  search_default_limit: {
    about: 'Matches per search if the model names no limit.',
    shape: whole({ min: 1, max: 50 }),
  },
  max_search_limit: {
    about: 'Maximum number of matches that the model can ask for.',
    shape: whole({ min: 1, max: 50 }),
  },
});

const TOOL_SEARCH: Shape<GateSettings> = {
  schema: { anyOf: [TOOL_SEARCH_BLOCK.schema, { type: 'boolean' }] },
  read(value, place) {
    const block = typeof value === 'boolean' ? value : TOOL_SEARCH_BLOCK.read(value, place);
    if (block === undefined) return undefined;
    try {
      return readHermesToolSearch(block);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      place.report(String(error.context.setting).split('.'), error.message);
      return undefined;
    }
  },
};

const PIN_LIST = listOf(text());

const PINS: Shape<readonly string[] | 'auto'> = {
  schema: { anyOf: [PIN_LIST.schema, { enum: ['auto'] }] },
  read: (value, place) => (value === 'auto' ? value : PIN_LIST.read(value, place)),
};

/** When tools are deferred. */
export const TOOLS: Shape<ToolsDocument> = object({
  tool_search: { about: 'Settings of the gate. If missing, or true: enabled: auto.', shape: TOOL_SEARCH },
  pins: {
    about:
      'Tools that are always sent in full; * matches any text. auto pins what each API key uses most, three to five tools, chosen once a day; ' +
      'it needs usage.learn.',
    shape: PINS,
    default: [],
  },
  policies: {
    about: 'When tools may be deferred, by pattern: github/*, mcp__slack__*, */delete_*.',
    shape: record(choice(POLICIES)),
    default: {},
  },
  listing_tokens: {
    about:
      'Maximum tokens for a list of the deferred tools in the system prompt; 0 for none. Any change of a tool invalidates the prompt cache.',
    shape: whole({ min: 0, max: 100_000 }),
    default: 0,
  },
});

/** Other YAML readers turn a bare `on` or `off` into a boolean, so both are accepted. */
function onOffAuto(): Shape<'auto' | 'on' | 'off' | boolean> {
  const words = choice(['auto', 'on', 'off']);
  return {
    schema: { anyOf: [words.schema, { type: 'boolean' }] },
    read: (value, place) => (typeof value === 'boolean' ? value : words.read(value, place)),
  };
}
