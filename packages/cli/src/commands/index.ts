export type { CommandContext } from './command-context.ts';
export { addDemoCommand } from './demo.ts';
export { addEvalCommand } from './eval.ts';
export { addInspectCommand } from './inspect.ts';
export { addMcpCommand, type McpFlags, type ProxyForm } from './mcp.ts';
export { addSearchCommand } from './search.ts';
export { addServeCommand, type ServeFlags } from './serve.ts';
