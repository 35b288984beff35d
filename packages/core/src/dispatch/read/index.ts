// What the model asked for: the bridge taken off a call, arguments parsed out of whatever the model wrote, and names resolved to tools.

export { parseArguments, readQueries } from './parse-arguments.ts';
export { nameDistance, readAhead, resolveName, suggestName } from './resolve-name.ts';
export { type NamedCall, unwrapCall } from './unwrap-call.ts';
