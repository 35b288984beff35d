export {
  CatalogError,
  type ErrorCode,
  type ErrorDetails,
  PatternError,
  QuartermasterError,
  QueryError,
  RequestError,
  SettingError,
  UpstreamError,
} from '../errors.ts';
