import type { Config } from '@quartermaster/host/config';

/** Which tools are deferred and which setting decides it: otherwise a setting without effect would go unnoticed. */
export function describeDeferral({ deferral, deferralSource }: Pick<Config, 'deferral' | 'deferralSource'>): string {
  const which =
    deferral === 'as-requested'
      ? 'the tools that clients mark'
      : 'the tools that clients mark; if they mark none, the gate decides';
  return `Deferring ${which} (deferral: ${deferral}, ${describeSource(deferral, deferralSource)})`;
}

function describeSource(deferral: Config['deferral'], source: Config['deferralSource']): string {
  switch (source) {
    case 'deferral':
      return 'as set';
    case 'default':
      return 'the default';
    case 'tools.tool_search':
    case 'ENABLE_TOOL_SEARCH':
      return `since ${source} is ${deferral === 'auto' ? 'set' : 'off'}`;
  }
}
