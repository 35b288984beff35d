export {
  checkAgentField,
  checkOptions,
  checkSdkServerOptions,
  checkServerField,
  refusedMethods,
} from './check-options.ts';
export { HOOK_ROWS } from './sdk-contract.ts';
