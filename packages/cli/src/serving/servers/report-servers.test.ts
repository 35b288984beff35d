import type { Hub, HubEvent, ServerStatus } from '@quartermaster/mcp';
import { describe, expect, it } from 'vitest';
import { reportServers } from './report-servers.ts';

const READY: ServerStatus = {
  name: 'files',
  state: 'ready',
  tools: 0,
  problems: [],
  held: [],
  suspicions: [],
  noise: { count: 0 },
  stderr: '',
};

/** The lines that are told of a server whose status changes like this. */
function linesOf(...statuses: readonly Partial<ServerStatus>[]): readonly string[] {
  const lines: string[] = [];
  let hear: (event: HubEvent) => void = () => {};
  let status: ServerStatus = READY;
  const hub = {
    status: () => [status],
    subscribe(listener: (event: HubEvent) => void) {
      hear = listener;
      return () => {};
    },
  };
  reportServers(hub as unknown as Hub, (line) => lines.push(line));
  for (const one of statuses) {
    status = { ...READY, ...one };
    hear({ kind: 'server-change', server: 'files' });
  }
  return lines;
}

describe('reportServers', () => {
  it('reports when the tools of a server cannot be listed, and when they can again', () => {
    const listingFailure = "its tools can't be listed: the database is locked";
    expect(linesOf({}, { listingFailure, reason: listingFailure }, { tools: 2 })).toEqual([
      "files: its tools can't be listed: the database is locked",
      'files: 2 tools',
    ]);
  });

  it('reports how many tools remain from an earlier list if a later one fails', () => {
    const listingFailure = "its tools can't be listed: Request timed out";
    expect(linesOf({ tools: 2, listingFailure })).toEqual([`files: ${listingFailure}; 2 tools of an earlier list`]);
  });

  it('distinguishes a truncated list from rejected definitions', () => {
    const cut = { tools: 5_000, stopped: 'after 5000 tools' };
    const problem = 'The list was cut off after 5000 tools';
    const [bad, worse] = ["Tool 3 can't be read", "Tool 4 can't be read"];
    expect(linesOf({ ...cut, problems: [problem] }, { ...cut, problems: [problem, bad, worse] })).toEqual([
      'files: 5,000 tools; its list was cut off after 5000 tools',
      "files: 5,000 tools; its list was cut off after 5000 tools; 2 left out, such as: Tool 3 can't be read",
    ]);
  });

  it('does not report a server before its tools are listed, and nothing twice', () => {
    expect(linesOf({}, { tools: 1 }, { tools: 1 })).toEqual(['files: 1 tool']);
  });
});
