// What the model asked for: the bridge taken off a call, arguments parsed out of whatever the model wrote, and names resolved to tools.

export { parseArguments, readQueries } from './parse-arguments.ts';
export { readAhead } from './read-ahead.ts';
export type { NamedCall } from './read-named-calls.ts';
export { resolveName } from './resolve-name.ts';
export { nameDistance, suggestName } from './suggest-name.ts';
export { unwrapCall } from './unwrap-call.ts';
