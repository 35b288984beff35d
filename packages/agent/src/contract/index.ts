export { checkAgentField, checkOptions, refusedMethods } from './check-options.ts';
export { HOOK_ROWS } from './sdk-contract.ts';
