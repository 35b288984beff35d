export { rehearsal } from './rehearsal.ts';
export { type RehearsalModel, rehearsalModel } from './rehearsal-model.ts';
