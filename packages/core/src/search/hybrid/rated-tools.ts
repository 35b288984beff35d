import { type FeatureColumns, mapFeatures } from './features.ts';

/**
 * The candidates of a request before they have their places, column by column: there are some hundred of them, and only
 * those that come into an answer are worth an object each.
 */
export interface RatedTools {
  /** In catalog order. */
  readonly tools: Uint32Array;
  /** More than anything else can add up to, for a tool that the query names; else 0. */
  readonly bonuses: Float64Array;
  /** The weighted sum of the features. */
  readonly bases: Float64Array;
  readonly features: FeatureColumns;
  /** `meaning`, or that of a clause that fits clearly better, without what the catalog's tools have in common; see `CommonMeaning`. */
  readonly ownMeaning: Float64Array;
  /** For each clause of the request how well each tool serves it. Empty for a request of one clause. */
  readonly clauses: readonly Float64Array[];
  /** The number of each tool's server. */
  readonly servers: Uint32Array;
  /** How much a tool has in common with others of its server: 0 (there is no server) to 1. */
  readonly closeness: Float64Array;
}

/** A selection of names has nothing to be weighed. */
export const NO_RATED_TOOLS: RatedTools = rateNothing();

function rateNothing(): RatedTools {
  const none = new Float64Array(0);
  return {
    tools: new Uint32Array(0),
    bonuses: none,
    bases: none,
    features: mapFeatures(() => none),
    ownMeaning: none,
    clauses: [],
    servers: new Uint32Array(0),
    closeness: none,
  };
}
