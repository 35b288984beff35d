export { rehearsal } from './rehearsal.ts';
export { REHEARSAL_NOTICE, rehearsalModel } from './rehearsal-model.ts';
