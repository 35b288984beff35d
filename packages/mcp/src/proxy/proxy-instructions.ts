import type { Snapshot } from '@quartermaster/core';
import { cutText, memoized } from '@quartermaster/core/internal';
import type { CompiledPermissions } from './permissions.ts';
import type { Session } from './session.ts';

const MOST_PER_SERVER = 1_000;
const MOST_IN_ALL = 4_000;
const MOST_NAMED = 40;
const MOST_REASON = 200;

/**
 * The instructions for a client: which tools there are and how to find them, what is missing, and each server's own instructions
 * under its name. Limited in size, and what is left out is named. Ours come first, because clients cut off the end.
 */
export function proxyInstructions(session: Session): string | undefined {
  const parts = [...aboutSearch(session), ...aboutMissing(session)];
  const leftOut: string[] = [];
  let length = parts.join('\n\n').length;
  for (const { name, instructions = '' } of session.hub.servers()) {
    if (instructions.trim() === '' || !session.permissions.allowsServer(name)) continue;
    const part = `${name}: ${cutText(instructions.trim(), MOST_PER_SERVER)}`;
    if (length + part.length > MOST_IN_ALL) {
      leftOut.push(name);
      continue;
    }
    length += part.length + 2;
    parts.push(part);
  }
  if (leftOut.length > 0) parts.push(`The instructions of ${listNames(leftOut)} are left out.`);
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

/** If tools are deferred: how many each server has, and how to find them. */
function aboutSearch(session: Session): readonly string[] {
  const plan = session.currentPlan();
  if (plan.kind === 'inline') return [];
  const search = plan.own.find((own) => own.role === 'search')?.name;
  const call = plan.own.find((own) => own.role === 'call')?.name;
  if (search === undefined) return [];
  const counts = countsIn(session.hub.snapshot())(session.permissions);
  const servers = listNames([...counts].map(([name, count]) => `${name} (${count})`));
  const behind =
    counts.size === 0 ? 'The tools of other servers are behind this one.' : `Tools behind this server: ${servers}.`;
  const how = call === undefined ? 'then call it by its name' : `then call it with ${call}`;
  return [`${behind} Find one with ${search}, ${how}. Search before you say that something is not possible.`];
}

/** How many tools each server has for some permissions. Each request of a stateless client needs it. */
const countsIn = memoized((snapshot: Snapshot) =>
  memoized((permissions: CompiledPermissions): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>();
    for (const tool of snapshot.tools) {
      if (permissions.allowsTool(tool)) counts.set(tool.server ?? '', (counts.get(tool.server ?? '') ?? 0) + 1);
    }
    return counts;
  }),
);

function aboutMissing({ hub, permissions }: Session): readonly string[] {
  const missing = hub
    .unavailable()
    .filter(({ server }) => permissions.allowsServer(server))
    .map(({ server, reason }) => `${server}: ${cutText(reason, MOST_REASON)}`);
  return missing.length === 0 ? [] : [`Not available now, at least in part:\n${listNames(missing, '\n')}`];
}

function listNames(names: readonly string[], separator = ', '): string {
  const rest = names.length - MOST_NAMED;
  return rest <= 0
    ? names.join(separator)
    : `${names.slice(0, MOST_NAMED).join(separator)}${separator}and ${rest} more`;
}
