import { expect, it } from 'vitest';
import { createSnapshot } from '../../catalog/index.ts';
import { sampleTool } from '../../disclosure/sample-tools.fixture.ts';
import { snapshotTokens } from '../../gate/index.ts';
import { readAhead, resolveName } from './resolve-name.ts';

it('reading ahead pauses within a catalog, and leaves what is read without it', async () => {
  const tools = Array.from({ length: 200 }, (_, at) => sampleTool({ name: `tool_${at}` }));
  const [ahead, later] = [createSnapshot(tools), createSnapshot(tools)];
  let pauses = 0;
  let counts = 0;
  const countTokens = (text: string): number => {
    counts += 1;
    return text.length;
  };
  const pause = async (): Promise<void> => {
    pauses += 1;
  };
  await readAhead(ahead, { countTokens, slices: { sliceMs: 0, pause } });
  expect(pauses).toBeGreaterThan(10);
  expect(counts).toBe(200);
  expect(snapshotTokens(ahead, countTokens)).toBe(snapshotTokens(ahead, countTokens));
  expect(counts).toBe(200);
  expect(snapshotTokens(ahead, countTokens).total).toBe(snapshotTokens(later, countTokens).total);
  expect(resolveName(ahead, 'TOOL_7')?.name).toBe(resolveName(later, 'TOOL_7')?.name);
});
