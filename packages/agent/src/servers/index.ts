export {
  createSdkMcpServer,
  type McpSdkServerConfigWithInstance,
  type SdkMcpServerOptions,
} from './create-sdk-mcp-server.ts';
export { isLocal, type McpServerConfig } from './server-config.ts';
export type { McpServerStatus } from './server-status.ts';
export { type AgentServers, startHub } from './start-hub.ts';
export { type SdkMcpToolDefinition, type ToolExtra, tool } from './tool.ts';
