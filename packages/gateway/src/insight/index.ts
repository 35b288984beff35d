export { ACTIVITY_OUTCOMES, type ActivityLog, createActivityLog } from './activity-log.ts';
export { createSavingsMeter, type SavingsMeter } from './savings.ts';
