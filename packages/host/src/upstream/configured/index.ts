export { type ListedModel, type ListedModels, type ListModelsOptions, listModels } from './list-models.ts';
export type { LoadPackage } from './provider-package.ts';
export {
  keyFrom,
  type ResolvedUpstream,
  resolveUpstream,
  type UpstreamEnvironment,
  type UpstreamForOptions,
} from './resolve-upstream.ts';
