// What other stages and packages share with this one. The public names are in index.ts.
export { guardSearch } from './answer/loop-guard.ts';
export { tell } from './answer/tell.ts';
export { readFormChoice } from './plan/form.ts';
export { makeDeferPlan, makeInlinePlan, makeView } from './plan/make-plan.ts';
export { cutText } from './text/shorten-text.ts';
export { signature } from './text/signature.ts';
