export { type ChangedField, changedFields } from './changed-fields.ts';
export {
  comparePins,
  type DefinitionChange,
  hashDefinition,
  type PinComparison,
  type Quarantine,
} from './compare-pins.ts';
export { findLookAlikes } from './find-look-alikes.ts';
export { type FindingsPolicy, findSuspicions, type Suspicion, type SuspicionKind } from './find-suspicions.ts';
