import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEARCH_DEFAULTS } from './gateway-options.ts';
import { foundIn } from './reranking.fixture.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { ASK, BM25 } from './weather-request.fixture.ts';

interface SampleTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly type: 'object' };
}

const FOLDER = new URL('../../../examples/catalog/services/', import.meta.url);
const SERVICES = readdirSync(FOLDER).map((file) => {
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { server: string; tools: readonly SampleTool[] };
});
const TOOLS = SERVICES.flatMap(({ server, tools }) =>
  tools.map(({ name, description = '', inputSchema }) => ({
    name: `${server}__${name}`.replace(/[^\w-]/g, '_').slice(0, 64),
    description,
    input_schema: inputSchema,
    defer_loading: true,
  })),
);

/** The names of a schema's properties, at any depth. */
function propertyNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties, ...rest } = schema as { readonly properties?: object };
  const inner = [...Object.values(properties ?? {}), ...Object.values(rest)].flatMap(propertyNames);
  return [...Object.keys(properties ?? {}), ...inner];
}

/** Names of parameters that one tool of the catalog has, and the tool. */
function rareParameters(): (readonly [parameter: string, tool: string])[] {
  const owners = new Map<string, string[]>();
  for (const { name, input_schema } of TOOLS) {
    for (const parameter of new Set(propertyNames(input_schema))) {
      owners.set(parameter, [...(owners.get(parameter) ?? []), name]);
    }
  }
  return [...owners].flatMap(([parameter, tools]) =>
    tools.length === 1 ? [[parameter, tools[0] ?? ''] as const] : [],
  );
}

describe('the BM25 variant of the Messages API, asked for the rare name of a parameter', () => {
  it.each([
    ['as it is written', (name: string) => name],
    ['as words', (name: string) => name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_\-.]+/g, ' ')],
  ])(
    'finds something for every one of them, %s',
    async (_, spell) => {
      const rare = rareParameters().filter((__, at) => at % 5 === 0);
      expect(rare.length).toBeGreaterThan(90);
      const rounds = rare.flatMap(([parameter]) => [
        message([{ call: BM25.name, id: 'toolu_s', input: { query: spell(parameter) } }], 'tool_use'),
        message([{ text: 'Ok.' }], 'end_turn'),
      ]);
      const { anthropic } = await runningGateway({
        upstreams: scriptedUpstreams({ anthropic: rounds }),
        search: SEARCH_DEFAULTS,
        workerUrl: false,
      });
      const lost: string[] = [];
      for (const [parameter] of rare) {
        const { content } = await anthropic.messages.create({ ...ASK, tools: [BM25, ...TOOLS] });
        if (foundIn(content).length === 0) lost.push(spell(parameter));
      }
      expect(lost).toEqual([]);
    },
    60_000,
  );
});
