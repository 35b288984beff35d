export { createSnapshot, parseTools, type Snapshot, type Tool } from './catalog/index.ts';
export { definitions, EMPTY_MEMORY, type Memory, type Plan } from './disclosure/index.ts';
export {
  type Call,
  createToolbox,
  type Hooks,
  type Toolbox,
  type ToolboxEvent,
  type ToolboxOptions,
  type ToolOutcome,
} from './dispatch/index.ts';
export { QuartermasterError } from './errors.ts';
export { readEnableToolSearch } from './gate/index.ts';
export { type Message, type RunToolsOptions, type RunToolsResult, runTools } from './run/index.ts';
export { createBm25Searcher, type Searcher, type SearchResult } from './search/index.ts';
