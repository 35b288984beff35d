export {
  AGENT_TOOL,
  type AgentDefinition,
  type AgentDefinitions,
  agentTool,
  checkAgents,
  createSubagents,
} from './create-subagents.ts';
