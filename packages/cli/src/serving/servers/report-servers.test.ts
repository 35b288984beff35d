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
  it('names a server whose tools can not be listed, and says when they can', () => {
    const listingFailure = "its tools can't be listed: the database is locked";
    expect(linesOf({}, { listingFailure, reason: listingFailure }, { tools: 2 })).toEqual([
      "files: its tools can't be listed: the database is locked",
      'files: 2 tools',
    ]);
  });

  it('tells how many are left of an earlier list when a later one fails', () => {
    const listingFailure = "its tools can't be listed: Request timed out";
    expect(linesOf({ tools: 2, listingFailure })).toEqual([`files: ${listingFailure}; 2 tools of an earlier list`]);
  });

  it('tells a list that was cut off from definitions that were left out', () => {
    const cut = { tools: 5_000, stopped: 'after 5000 tools' };
    const problem = 'The list was cut off after 5000 tools';
    const [bad, worse] = ["Tool 3 can't be read", "Tool 4 can't be read"];
    expect(linesOf({ ...cut, problems: [problem] }, { ...cut, problems: [problem, bad, worse] })).toEqual([
      'files: 5,000 tools; its list was cut off after 5000 tools',
      "files: 5,000 tools; its list was cut off after 5000 tools; 2 left out, such as: Tool 3 can't be read",
    ]);
  });

  it('says nothing of a server that is connected and not listed yet, and nothing twice', () => {
    expect(linesOf({}, { tools: 1 }, { tools: 1 })).toEqual(['files: 1 tool']);
  });
});
