export {
  CatalogError,
  type ErrorCode,
  type ErrorDetails,
  PatternError,
  QuartermasterError,
  QueryError,
  RequestError,
  SettingError,
} from '../errors.ts';
export { limitHeadersIn } from '../run/internal.ts';
export {
  statusOfType,
  typeOfStatus,
  UpstreamError,
  type UpstreamErrorCode,
  type UpstreamErrorDetails,
} from '../upstream-error.ts';
