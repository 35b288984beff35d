export {
  limitHeadersIn,
  statusOfType,
  typeOfStatus,
  UpstreamError,
  type UpstreamErrorCode,
  type UpstreamErrorDetails,
} from '@quartermaster/core/errors';
export { type Clock, SYSTEM_CLOCK } from '@quartermaster/core/internal';
export {
  keyFrom,
  type ListedModel,
  type ListedModels,
  type ListModelsOptions,
  type LoadPackage,
  listModels,
  type ResolvedUpstream,
  resolveUpstream,
  type UpstreamEnvironment,
  type UpstreamForOptions,
} from './configured/index.ts';
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
export {
  type Asking,
  countTokens,
  type HttpLimits,
  type HttpTimeouts,
  type HttpUpstreamOptions,
  type PassedRequest,
  passOn,
  WrittenRequest,
  writeRequest,
} from './http/index.ts';
export type { RetrySettings } from './internal/retry.ts';
export { createModelUpstream, type ModelUpstreamOptions } from './model/index.ts';
export { type RehearsalModel, rehearsal, rehearsalModel } from './rehearsal/index.ts';
export {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedOptions,
  type ScriptedTurn,
  type ScriptedUpstream,
  scripted,
} from './scripted/index.ts';
