export { checkAgentField, checkOptions, checkRows, refusedMethods } from './check-options.ts';
export { HOOK_ROWS, SDK_SERVER_ROWS, SERVER_FIELD_ROWS } from './sdk-contract.ts';
