/**
 * What the other packages of Quartermaster share with core. Unstable: a name here can change or go in any release, so nothing else should
 * import it.
 *
 * @internal
 */
export { anthropicDefinedTool, createSnapshotInSteps, describeExamples, sha256 } from '../catalog/index.ts';
export { deepestReason } from '../deepest-reason.ts';
export { defined } from '../defined.ts';
export { cutText, readFormChoice } from '../disclosure/index.ts';
export { nameDistance, readAhead } from '../dispatch/index.ts';
export { checkGateSettings } from '../gate/index.ts';
export { readChoice } from '../read-choice.ts';
export { type ReadEventsOptions, readEvents } from '../run/index.ts';
export { editDistance, runInSlices } from '../search/index.ts';
export { untilAborted } from '../until-aborted.ts';
