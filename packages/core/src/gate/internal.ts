// What other stages and packages share with this one. The public names are in index.ts.
export { modelSegments } from './context-window.ts';
export { decideGateInSteps } from './decide-gate.ts';
export { snapshotTokensInSteps } from './estimate-tokens.ts';
export { checkGateSettings } from './gate-settings.ts';
