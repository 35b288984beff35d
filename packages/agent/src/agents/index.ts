export { type AgentDefinition, type AgentDefinitions, checkAgents } from './agent-definition.ts';
export { AGENT_TOOL, agentTool, createSubagents } from './create-subagents.ts';
