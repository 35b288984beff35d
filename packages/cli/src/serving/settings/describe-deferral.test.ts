import { expect, it } from 'vitest';
import { describeDeferral } from './describe-deferral.ts';

it.each([
  ['as-requested', 'default', 'clients mark (deferral: as-requested, the default)'],
  ['as-requested', 'deferral', 'clients mark (deferral: as-requested, as set)'],
  ['as-requested', 'tools.tool_search', 'clients mark (deferral: as-requested, since tools.tool_search is off)'],
  ['auto', 'tools.tool_search', 'the gate decides (deferral: auto, since tools.tool_search is set)'],
  ['auto', 'ENABLE_TOOL_SEARCH', 'the gate decides (deferral: auto, since ENABLE_TOOL_SEARCH is set)'],
  ['auto', 'deferral', 'the gate decides (deferral: auto, as set)'],
] as const)('says that deferral is %s because of %s', (deferral, deferralSource, end) => {
  const line = describeDeferral({ deferral, deferralSource });
  expect(line.startsWith('Deferring the tools that clients mark')).toBe(true);
  expect(line.endsWith(end)).toBe(true);
});
