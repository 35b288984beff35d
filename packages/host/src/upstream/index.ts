export {
  limitHeadersIn,
  statusOfType,
  typeOfStatus,
  UpstreamError,
  type UpstreamErrorCode,
  type UpstreamErrorDetails,
} from '@quartermaster/core/errors';
export { type Clock, SYSTEM_CLOCK } from '@quartermaster/core/internal';
export { type ListedModel, type ListedModels, type ListModelsOptions, listModels } from './configured/list-models.ts';
export type { LoadPackage } from './configured/provider-package.ts';
export {
  keyFrom,
  type ResolvedUpstream,
  resolveUpstream,
  type UpstreamEnvironment,
  type UpstreamForOptions,
} from './configured/resolve-upstream.ts';
export {
  DIALECTS,
  type DialectName,
  type DialectOf,
  type Dialects,
  type DialectUpstream,
  type PartOf,
  type RequestOf,
  type ResponseOf,
  type ServedDialect,
  type UpstreamClient,
} from './dialect.ts';
export { countTokens } from './http/count-tokens.ts';
export type { HttpLimits, HttpTimeouts, HttpUpstreamOptions } from './http/http-upstream-options.ts';
export { type PassedRequest, passOn } from './http/pass-on.ts';
export { type Asking, WrittenRequest, writeRequest } from './http/post.ts';
export type { RetrySettings } from './internal/retry.ts';
export { createModelUpstream, type ModelUpstreamOptions } from './model/create-model-upstream.ts';
export { type RehearsalModel, rehearsal, rehearsalModel } from './rehearsal/rehearsal-model.ts';
export {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedOptions,
  type ScriptedTurn,
  type ScriptedUpstream,
  scripted,
} from './scripted/scripted.ts';
