// What other stages and packages share with this one. The public names are in index.ts.

export { matchLine } from './answer/match-levels.ts';
export { indexSourcesInSteps } from './answer/nearest-sources.ts';
export { tell } from './answer/tell.ts';
export { guardSearch } from './memory.ts';
export { FORM_NAMES, readFormChoice } from './plan/form.ts';
export { deferredInFull, makeDeferPlan, makeInlinePlan, makeView, ownNamed, ownTool } from './plan/make-plan.ts';
export { cutText, signature } from './text/shorten-text.ts';
