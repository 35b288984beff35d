export {
  type ContextWindowQuestion,
  contextWindow,
  DEFAULT_CONTEXT_TOKENS,
  type ModelLimits,
} from './context-window.ts';
export { decideGate, type GateDecision, type GateFigures, type GateQuestion } from './decide-gate.ts';
export { estimateTokens, type SnapshotTokens, snapshotTokens, type TokenCounter } from './estimate-tokens.ts';
export {
  DEFAULT_GATE_SETTINGS,
  DEFAULT_SEARCH_LIMITS,
  type GateRule,
  type GateSettings,
  type SearchLimitSettings,
} from './gate-settings.ts';
export {
  type CapabilityOptions,
  DEFAULT_TOOL_SEARCH_THRESHOLD,
  readCapabilities,
  readEnableToolSearch,
  readHermesToolSearch,
} from './read-settings.ts';
export { type SuggestPinsOptions, suggestPins, type ToolUse } from './suggest-pins.ts';
