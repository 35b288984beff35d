// What the model asked for: the bridge taken off a call, arguments parsed out of whatever the model wrote, and names resolved to tools.
export { nameDistance, readAhead, resolveName, suggestName } from './resolve-name.ts';
export { type NamedCall, parseArguments, readQueries, toInput, unwrapCall, writtenInput } from './unwrap-call.ts';
