export { type AgentForm, readForm } from './agent-form.ts';
export {
  type AgentUpstream,
  type BuiltUpstream,
  checkUpstream,
  rehearsal,
  type UpstreamChoice,
} from './agent-upstream.ts';
export { agentWire, askModel } from './ask-model.ts';
export { readGateSettings } from './gate-settings.ts';
export { isSearching, type Planning, planFor } from './plan-for.ts';
export { listModels, type ModelInfo, type ResolvedModel, resolveModel } from './resolve-model.ts';
