import { describe, expect, it } from 'vitest';
import { atLevel, createLineLogger, LOG_LEVELS, type LogEntry } from './logger.ts';

function lineOf(entry: LogEntry): string {
  let line = '';
  createLineLogger((text) => {
    line += text;
  }).log(entry);
  return line;
}

describe('a line of the log', () => {
  it('is JSON with every fact', () => {
    const line = lineOf({ level: 'info', event: 'request-end', model: 'claude-test', status: 200 });
    expect(line).toMatch(/^[^\n]*\n$/);
    expect(JSON.parse(line)).toEqual({
      ...{ level: 'info', event: 'request-end', model: 'claude-test', status: 200 },
      time: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('stays short whatever a client has called its model', () => {
    const line = lineOf({ level: 'warn', event: 'request-fail', model: 'm'.repeat(300_000), status: 404 });
    expect(line.length).toBeLessThan(1_000);
    expect(JSON.parse(line)).toMatchObject({ model: `${'m'.repeat(499)}…`, status: 404 });
  });
});

describe('a level', () => {
  it('leaves out what is below it, and says whether anything is to be explained', () => {
    const entries: LogEntry[] = [];
    const logger = atLevel({ log: (entry) => entries.push(entry) }, 'warn');
    for (const level of LOG_LEVELS) logger.log({ level, event: 'request-end' });
    expect(entries.map(({ level }) => level)).toEqual(['warn', 'error']);
    expect(logger.isDebugging).toBe(false);
    expect(atLevel(logger, 'debug').isDebugging).toBe(true);
  });
});
