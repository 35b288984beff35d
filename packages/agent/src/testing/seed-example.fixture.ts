// The agent SDK's own example of tool search, word for word but for the import.
import { query } from '@quartermaster/agent';

for await (const message of query({
  prompt: 'Find and run the appropriate database query',
  options: {
    mcpServers: {
      'enterprise-tools': {
        type: 'http',
        url: 'https://tools.example.com/mcp',
      },
    },
    allowedTools: ['mcp__enterprise-tools__*'], // wildcard pre-approves all
    env: {
      ENABLE_TOOL_SEARCH: 'auto:5', // activate when tools exceed 5% of context
    },
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') {
    console.log(message.result);
  }
}
