import type { DefinitionChange, Server, ToolFacts } from '@quartermaster/client';
import type { Sort } from './servers-state.ts';
import type { Policy } from './use-servers.ts';

/** The tools of one server, with what is known of the server where it is a configured one. */
export interface ServerGroup {
  readonly name: string;
  readonly server: Server | undefined;
  readonly tools: readonly ToolFacts[];
  /** Tools whose changed definitions wait to be accepted: models don't get them, so the catalog doesn't have them. */
  readonly held: readonly DefinitionChange[];
  readonly tokens: number;
  readonly calls: number;
  readonly policy: Policy | 'mixed';
  readonly lint: number;
  readonly trust: number;
}

/** The most expensive first. Servers without tools are there too: why they have none is what people want to know. */
export function groupByServer(tools: readonly ToolFacts[], servers: readonly Server[]): readonly ServerGroup[] {
  const groups = new Map<string, ToolFacts[]>(servers.map(({ name }) => [name, []]));
  for (const tool of tools) {
    const name = tool.server ?? '';
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [tool]);
    else group.push(tool);
  }
  return [...groups]
    .map(([name, own]) => describeGroup(name, own, servers))
    .sort((left, right) => right.tokens - left.tokens || (left.name < right.name ? -1 : 1));
}

/** One pass over the tools: a catalog can have ten thousand of them. */
function describeGroup(name: string, tools: readonly ToolFacts[], servers: readonly Server[]): ServerGroup {
  let [tokens, calls, lint, trust] = [0, 0, 0, 0];
  const first = tools[0]?.policy ?? 'automatic';
  let isMixed = false;
  for (const tool of tools) {
    tokens += tool.tokens;
    calls += tool.calls;
    isMixed ||= tool.policy !== first;
    for (const { kind } of tool.findings) {
      if (kind === 'lint') lint += 1;
      else trust += 1;
    }
  }
  const server = servers.find((one) => one.name === name);
  const held = server?.changes.filter((change) => change.held) ?? [];
  return { name, server, tools, held, tokens, calls, policy: isMixed ? 'mixed' : first, lint, trust };
}

export type Row =
  | { readonly kind: 'server'; readonly key: string; readonly group: ServerGroup }
  | { readonly kind: 'tool'; readonly key: string; readonly tool: ToolFacts; readonly isAlone: boolean }
  | { readonly kind: 'held'; readonly key: string; readonly change: DefinitionChange; readonly isAlone: boolean };

/** What the table shows: servers with the tools of the unfolded one, or all tools, each by the filter. */
export function tableRows(
  groups: readonly ServerGroup[],
  {
    view,
    q = '',
    server,
    sort = 'tokens',
  }: { readonly view?: 'tools'; readonly q?: string; readonly server?: string; readonly sort?: Sort },
): readonly Row[] {
  const filter = q.trim().toLowerCase();
  const fits = ({ tool, description }: ToolFacts): boolean =>
    filter === '' || tool.toLowerCase().includes(filter) || description.toLowerCase().includes(filter);
  const toolRow = (tool: ToolFacts, isAlone: boolean): Row => ({
    kind: 'tool',
    key: `tool ${tool.tool}`,
    tool,
    isAlone,
  });
  const heldRows = ({ held }: ServerGroup, isAlone: boolean): readonly Row[] =>
    held
      .filter(({ tool }) => tool.toLowerCase().includes(filter))
      .map((change) => ({ kind: 'held', key: `held ${change.tool}`, change, isAlone }));
  if (view === 'tools') {
    const tools = groups.flatMap((group) => group.tools.filter(fits));
    return [
      ...groups.flatMap((group) => heldRows(group, true)),
      ...tools.sort(byTool(sort)).map((tool) => toolRow(tool, true)),
    ];
  }
  return groups.toSorted(byGroup(sort)).flatMap((group): readonly Row[] => {
    const isNamed = group.name.toLowerCase().includes(filter);
    const tools = isNamed ? group.tools : group.tools.filter(fits);
    const held = heldRows(group, false);
    if (!isNamed && tools.length === 0 && held.length === 0) return [];
    const head: Row = { kind: 'server', key: `server ${group.name}`, group };
    if (group.name !== server) return [head];
    return [head, ...held, ...tools.toSorted(byTool(sort)).map((tool) => toolRow(tool, false))];
  });
}

/** Names from A to Z, figures from the largest. */
function byTool(sort: Sort): (left: ToolFacts, right: ToolFacts) => number {
  if (sort === 'name') return (left, right) => compare(left.tool, right.tool);
  if (sort === 'findings') return (left, right) => right.findings.length - left.findings.length;
  return (left, right) => right[sort] - left[sort];
}

function byGroup(sort: Sort): (left: ServerGroup, right: ServerGroup) => number {
  if (sort === 'name') return (left, right) => compare(left.name, right.name);
  if (sort === 'findings') return (left, right) => right.trust + right.lint - (left.trust + left.lint);
  return (left, right) => right[sort] - left[sort];
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
