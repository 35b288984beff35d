export {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedOptions,
  type ScriptedTurn,
  type ScriptedUpstream,
  scripted,
} from './scripted.ts';
