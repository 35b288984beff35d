import type { JsonSchema } from '../catalog/index.ts';
import { counted } from './counted.ts';
import type { Form } from './form.ts';
import type { Own, PlanEngine } from './plan.ts';

export interface OwnToolOptions {
  readonly form: Form;
  /**
   * How many tools are deferred: named in the descriptions, so that the model knows that there is something to find. Where none is
   * known yet, no number is told: a list that is kept would go on saying 0 once there are some.
   */
  readonly deferredCount: number;
  readonly engine: PlanEngine;
  readonly hasDescribe: boolean;
  readonly searchName: string;
  /** Whether a name already belongs to a tool of the catalog. */
  readonly isTaken: (name: string) => boolean;
}

export const OWN_NAMES: { readonly [Role in Own['role']]: string } = {
  search: 'tool_search',
  describe: 'tool_describe',
  call: 'tool_call',
};

/** Our tools for a form: none where others search, three for the bridge, the search alone otherwise. */
export function ownTools(options: OwnToolOptions): readonly Own[] {
  if (options.form.search !== 'local') return [];
  const search: Own = {
    role: 'search',
    name: freeName(options.searchName, options.isTaken),
    description: `${about(options)} ${AFTERWARDS[afterwards(options)]}`,
    schema: searchSchema(options.engine),
  };
  if (options.form.invoke !== 'wrapped') return [search];
  const call: Own = {
    role: 'call',
    name: freeName(OWN_NAMES.call, options.isTaken),
    description: 'Call a tool that you found. Tools in your own list are called directly, not through this.',
    schema: CALL_SCHEMA,
  };
  if (!options.hasDescribe) return [search, call];
  const describe: Own = {
    role: 'describe',
    name: freeName(OWN_NAMES.describe, options.isTaken),
    description: 'Get the full parameters of tools that you found, when the signature is not enough.',
    schema: DESCRIBE_SCHEMA,
  };
  return [search, describe, call];
}

/** A catalog may hold a tool called `tool_search`: it keeps its name, and ours makes way. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let count = 2; isTaken(free); count += 1) free = `${name}_${count}`;
  return free;
}

function about(options: OwnToolOptions): string {
  const { form, deferredCount: count, engine } = options;
  const isOne = count === 1;
  const how = engine === 'regex' ? BY_PATTERN : `by what ${isOne ? 'it does' : 'they do'} or by name`;
  const tools = count === 0 ? 'tools' : counted(count, 'tool');
  if (form.hidden !== 'stub') return `Search ${tools} that ${isOne ? 'is' : 'are'} not in your list, ${how}.`;
  if (isOne) return `Load the parameters of the one tool that is shown without them. Searches ${how}.`;
  return `Load the parameters of tools that are shown without them${count === 0 ? '' : ` (${tools})`}. Searches ${how}.`;
}

const BY_PATTERN = 'with a regular expression (Python syntax) over names, descriptions and parameters';

function afterwards(options: OwnToolOptions): keyof typeof AFTERWARDS {
  if (options.form.hidden === 'stub') return 'stub';
  if (options.form.invoke === 'direct') return 'direct';
  return options.hasDescribe ? 'describe' : 'call';
}

const AFTERWARDS = {
  stub: 'Then call the tool by its name.',
  direct: 'Tools that are found join your list; call them by their names.',
  describe: 'Returns signatures. Then use tool_call, after tool_describe if needed.',
  call: 'Returns parameters. Then use tool_call.',
};

function searchSchema(engine: PlanEngine): JsonSchema {
  return { type: 'object', properties: { ...QUERY_PROPERTIES[engine], limit: { type: 'integer', minimum: 1 } } };
}

const QUERY_PROPERTIES: { readonly [Engine in PlanEngine]: JsonSchema } = {
  text: {
    query: { type: 'string', description: 'One capability, such as "create a calendar event", or a name' },
    queries: { type: 'array', items: { type: 'string' }, description: 'Several at once' },
  },
  regex: { pattern: { type: 'string', description: 'Such as "(?i)issue.*create|create.*issue"' } },
};

const DESCRIBE_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    names: { type: 'array', items: { type: 'string' }, description: 'Several at once' },
  },
};

const CALL_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    arguments: { type: 'object' },
    calls: {
      type: 'array',
      description: 'Several at once, instead of name and arguments',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, arguments: { type: 'object' } },
        required: ['name'],
      },
    },
  },
};
