export type { ModelUpstreamOptions } from './create-model-upstream.ts';
export { createModelUpstream } from './create-model-upstream.ts';
