export {
  type ContextWindowQuestion,
  contextWindow,
  DEFAULT_CONTEXT_TOKENS,
  type ModelLimits,
} from './context-window.ts';
export { decideGate, type GateDecision, type GateFigures, type GateQuestion } from './decide-gate.ts';
export { estimateTokens, type SnapshotTokens, snapshotTokens, type TokenCounter } from './estimate-tokens.ts';
export {
  type CapabilityOptions,
  DEFAULT_GATE_SETTINGS,
  DEFAULT_SEARCH_LIMITS,
  DEFAULT_TOOL_SEARCH_THRESHOLD,
  type GateRule,
  type GateSettings,
  readCapabilities,
  readEnableToolSearch,
  readHermesToolSearch,
  type SearchLimitSettings,
} from './gate-settings.ts';
export { type SuggestPinsOptions, suggestPins, type ToolUse } from './suggest-pins.ts';
