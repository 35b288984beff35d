// What other stages and packages share with this one. The public names are in index.ts.
export { factsOfCall } from './read/facts-of-call.ts';
export { nameDistance, readAhead } from './read/resolve-name.ts';
export { readQueries, toInput, writtenInput } from './read/unwrap-call.ts';
export { checkToolboxOptions, PLAN_SETTINGS, SEARCH_SETTINGS } from './toolbox-options.ts';
