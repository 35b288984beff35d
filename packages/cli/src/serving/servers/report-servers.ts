import type { Hub, ServerStatus } from '@quartermaster/mcp';
import { count, counted, oneLine } from '../../terminal/index.ts';

/** Reports the state of servers, one line for each change that matters to people. Returns a function that stops it. */
export function reportServers(hub: Hub, print: (line: string) => void): () => void {
  const told = new Map<string, string>();
  const tell = (status: ServerStatus): void => {
    const line = describeServer(status);
    if (line === undefined || told.get(status.name) === line) return;
    told.set(status.name, line);
    print(`${oneLine(status.name, 100)}: ${oneLine(line, MOST_CHARACTERS)}`);
  };
  return hub.subscribe((event) => {
    if (event.kind === 'server-change') {
      for (const status of hub.status()) if (status.name === event.server) tell(status);
    }
    if (event.kind === 'definition-change') {
      const { tool, fields, isHeld } = event.change;
      const held = isHeld ? '; it is held back until it is accepted: quartermaster mcp accept' : '';
      print(`${oneLine(tool, 200)}: its definition has changed (${fields.join(', ')})${held}`);
    }
  });
}

/** Undefined if there is nothing to report. */
function describeServer(status: ServerStatus): string | undefined {
  switch (status.state) {
    case 'idle':
    case 'connecting':
      // Known from an earlier list, which may have been cut off then.
      return status.stopped === undefined ? undefined : describeListing(status);
    case 'ready':
      return describeListing(status);
    case 'down':
      return `can't be reached: ${whyDown(status)}`;
  }
}

/** The reason, and the last line that the server wrote. */
export function whyDown({ reason = 'no reason given', stderr }: ServerStatus): string {
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  return `${reason}${last === '' ? '' : ` (it wrote: ${last})`}`;
}

function describeListing(status: ServerStatus): string | undefined {
  const { tools, listingFailure, stopped, problems, suspicions } = status;
  if (listingFailure !== undefined) {
    return tools === 0 ? listingFailure : `${listingFailure}; ${counted(tools, 'tool')} of an earlier list`;
  }
  // Connected comes before listed.
  if (tools === 0 && problems.length === 0) return undefined;
  const leftOut = stopped === undefined ? problems : problems.slice(1);
  const [problem] = leftOut;
  const [suspicion] = suspicions;
  return [
    counted(tools, 'tool'),
    ...(stopped === undefined ? [] : [`its list was cut off ${stopped}`]),
    ...(problem === undefined ? [] : [`${count(leftOut.length)} left out, such as: ${problem}`]),
    ...(suspicion === undefined
      ? []
      : [`${counted(suspicions.length, 'description')} to look at, such as ${suspicion.tool}: ${suspicion.kind}`]),
  ].join('; ');
}

const MOST_CHARACTERS = 500;
