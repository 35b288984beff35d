import fastCheck from '../node_modules/fast-check/lib/fast-check.js';

/**
 * `npm test` draws the same cases each time, so that a change fails for what it changed. `npm run fuzz` draws others, and more of them:
 * a failure prints its seed, and `npm run fuzz -- 1 SEED` plays it again.
 */
const seed = Number(process.env.QUARTERMASTER_FUZZ_SEED ?? 20_261_116);
const factor = Number(process.env.QUARTERMASTER_FUZZ ?? 1);

const assert: typeof fastCheck.assert = (property, parameters = {}) => {
  const numRuns = (parameters.numRuns ?? 100) * factor;
  return fastCheck.assert(property as never, { seed, ...parameters, numRuns } as never) as never;
};

// biome-ignore lint/style/noDefaultExport: stands in for a package whose default export tests import.
export default { ...fastCheck, assert };
