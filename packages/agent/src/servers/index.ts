export { checkServers } from './check-servers.ts';
export {
  createSdkMcpServer,
  type McpSdkServerConfigWithInstance,
  type SdkMcpServerOptions,
} from './create-sdk-mcp-server.ts';
export type { McpServerConfig, SdkServerFields } from './server-config.ts';
export type { McpServerStatus } from './server-status.ts';
export { checkSignIn, createSignInClient, type SignIn } from './sign-in.ts';
export { type AgentServers, type McpSetServersResult, startServers } from './start-servers.ts';
export { type SdkMcpToolDefinition, type ToolExtra, tool } from './tool.ts';
export { waitForServers } from './wait-for-servers.ts';
