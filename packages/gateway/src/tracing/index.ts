export { openTracing } from './open-tracing.ts';
export type { TracedCall, Tracing } from './tracing.ts';
