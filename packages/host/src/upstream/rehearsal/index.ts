export { rehearsal } from './rehearsal.ts';
export { REHEARSAL_NOTICE, type RehearsalModel, rehearsalModel } from './rehearsal-model.ts';
