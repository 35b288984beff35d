export {
  ACTIVITY_OUTCOMES,
  type ActivityFollower,
  type ActivityLog,
  createActivityLog,
  outcomesOf,
} from './activity-log.ts';
export { createAdaptation } from './adapt-upstreams.ts';
export { describeReach, type ModelReach } from './describe-reach.ts';
export { compilePrices, describeSavings } from './describe-savings.ts';
export { createInsightMeter, type InsightMeter, insightSink, learningSink } from './insight-meter.ts';
export { listUnanswered, type UnansweredSearch } from './unanswered.ts';
export { createWireLog, type WireLog } from './wire-log.ts';
