import type { JsonSchema } from '../../catalog/index.ts';
import type { Form } from './form.ts';
import type { DeferQuestion } from './make-plan.ts';
import type { Own, PlanEngine } from './plan.ts';

interface OwnToolsQuestion
  extends Pick<DeferQuestion, 'form' | 'snapshot' | 'describe' | 'searchName' | 'secondSearch'> {
  readonly engine: PlanEngine;
}

/** The names of our own tools: `tool_search`, `tool_describe` and `tool_call`. */
export const OWN_NAMES: { readonly [Role in Own['role']]: string } = {
  search: 'tool_search',
  describe: 'tool_describe',
  call: 'tool_call',
};

/**
 * Our tools for a form: none where others search, three for the bridge, the search alone otherwise; a second search stands after the first. Their texts say nothing of what
 * is deferred, not even how much, so that a tool more or less leaves the prefix of every conversation as it is cached.
 */
export function ownTools(question: OwnToolsQuestion): readonly Own[] {
  const { form, snapshot, engine, searchName = OWN_NAMES.search, secondSearch: second } = question;
  if (form.search !== 'local') return [];
  const isTaken = (name: string): boolean => snapshot.resolve(name) !== undefined;
  const names = {
    search: freeName(searchName, isTaken),
    describe: freeName(OWN_NAMES.describe, isTaken),
    call: freeName(OWN_NAMES.call, isTaken),
  };
  const search = (name: string, by: PlanEngine): Own => ({
    role: 'search',
    name,
    description: `${about(form, by)} ${afterwards(question, names)}`,
    schema: searchSchema(by),
  });
  const searches = [search(names.search, engine)];
  if (second !== undefined) {
    const name = freeName(second.name, (one) => one === names.search || isTaken(one));
    searches.push({ ...search(name, second.engine), engine: second.engine });
  }
  if (form.invoke !== 'wrapped') return searches;
  const call: Own = {
    role: 'call',
    name: names.call,
    description: 'Call a tool that you found. Tools in your own list are called directly, not through this.',
    schema: CALL_SCHEMA,
  };
  if (question.describe === false) return [...searches, call];
  const describe: Own = {
    role: 'describe',
    name: names.describe,
    description: 'Get the full parameters of tools that you found, when the signature is not enough.',
    schema: DESCRIBE_SCHEMA,
  };
  return [...searches, describe, call];
}

/** A catalog may contain a tool called `tool_search`: it keeps its name, and ours gets another. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let count = 2; isTaken(free); count += 1) free = `${name}_${count}`;
  return free;
}

function about(form: Form, engine: PlanEngine): string {
  const how = engine === 'regex' ? BY_PATTERN : 'by what they do or by name';
  return form.hidden === 'stub'
    ? `Load the parameters of tools that are shown without them. Searches ${how}.`
    : `Search tools that are not in your list, ${how}.`;
}

const BY_PATTERN = 'with a regular expression (Python syntax) over names, descriptions and parameters';

/** With the names that our tools have here: a catalog may contain its own `tool_call`. */
function afterwards({ form, describe }: OwnToolsQuestion, names: { describe: string; call: string }): string {
  if (form.hidden === 'stub') return 'Then call the tool by its name.';
  if (form.invoke === 'direct') return 'Tools that are found join your list; call them by their names.';
  if (describe === false) return `Returns parameters. Then use ${names.call}.`;
  return `Returns signatures. Then use ${names.call}, after ${names.describe} if needed.`;
}

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
