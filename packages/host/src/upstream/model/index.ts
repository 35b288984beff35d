export { createModelUpstream, type ModelUpstreamOptions } from './create-model-upstream.ts';
