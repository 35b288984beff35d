import { createSnapshot, createTool, type Policy, type Snapshot, type Tool } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';

export interface SampleTool {
  readonly name: string;
  readonly server?: string;
  readonly description?: string;
  readonly policy?: Policy;
  readonly parameters?: Record<string, unknown>;
}

/** A tool with one required text parameter, unless said otherwise. */
export function sampleTool(sample: SampleTool): Tool {
  return createTool({
    name: sample.name,
    ...defined({ server: sample.server }),
    description: sample.description ?? `Does ${sample.name.replaceAll('_', ' ')}.`,
    schema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      ...(sample.parameters as object),
    },
    ...defined({ policy: sample.policy }),
  });
}

/** Two servers and a tool that is never deferred. */
export function sampleTools(): readonly Tool[] {
  return [
    sampleTool({ name: 'read_file', policy: 'never', description: 'Reads a file.' }),
    sampleTool({ name: 'create_issue', server: 'github', description: 'Opens an issue. Needs a repository.' }),
    sampleTool({ name: 'close_issue', server: 'github', description: 'Closes an issue.' }),
    sampleTool({ name: 'send_message', server: 'slack', description: 'Sends a message to a channel.' }),
  ];
}

export function sampleSnapshot(tools: readonly Tool[] = sampleTools()): Snapshot {
  return createSnapshot(tools);
}

/** Many tools over ten servers, for what must hold at size. */
export function manyTools(count: number): readonly Tool[] {
  return Array.from({ length: count }, (_, index) =>
    sampleTool({
      name: `tool_${index}`,
      server: `server_${index % 10}`,
      description: `Does the thing of number ${index}. And some more besides.`,
    }),
  );
}
