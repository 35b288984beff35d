// What other stages and packages share with this one. The public names are in index.ts.
export { planRequestInSteps } from './plan-request.ts';
export { remainingTokens, type Spoken, splitRounds, sumUsage } from './rounds.ts';
export { piecesId } from './transcript.ts';
export { isUniqueId } from './woven-history.ts';
