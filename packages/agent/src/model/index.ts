export { agentWire } from './agent-wire.ts';
export { readGateSettings } from './gate-settings.ts';
export { type AgentForm, isSearching, type Planning, planFor, readForm } from './plan-for.ts';
export {
  type AgentUpstream,
  type BuiltUpstream,
  checkUpstream,
  listModels,
  type ModelInfo,
  type ResolvedModel,
  rehearsal,
  resolveModel,
  type UpstreamChoice,
} from './resolve-model.ts';
