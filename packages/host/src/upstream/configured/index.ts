export type { UpstreamEnvironment, UpstreamForOptions } from './create-upstream-for.ts';
export { keyFrom } from './create-upstream-for.ts';
export type { ListedModel, ListedModels, ListModelsOptions } from './list-models.ts';
export { listModels } from './list-models.ts';
export type { LoadPackage } from './provider-package.ts';
export type { ResolvedUpstream } from './resolve-upstream.ts';
export { resolveUpstream } from './resolve-upstream.ts';
