export type { ScriptedAnswer, ScriptedCall, ScriptedOptions, ScriptedTurn, ScriptedUpstream } from './scripted.ts';
export { scripted } from './scripted.ts';
