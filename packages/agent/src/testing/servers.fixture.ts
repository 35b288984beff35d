import { z } from 'zod';
import { createSdkMcpServer, type McpSdkServerConfigWithInstance, type SdkMcpToolDefinition, tool } from '../index.ts';

/** A tool that answers with its name and the text that it was sent. */
export function echo(name: string, description: string, annotations: object = {}): SdkMcpToolDefinition {
  return tool(
    name,
    description,
    { text: z.string().optional() },
    async ({ text = '' }) => ({ content: [{ type: 'text', text: `${name}: ${text}` }] }),
    { annotations },
  ) as SdkMcpToolDefinition;
}

/** A server in this process with a weather tool, a mail tool and as many others as wanted. */
export function office(others = 0): McpSdkServerConfigWithInstance {
  const more = Array.from({ length: others }, (_, index) =>
    echo(
      `archive_report_${index}`,
      `Puts the quarterly report number ${index} into the archive of the finance department.`,
    ),
  );
  return createSdkMcpServer({
    name: 'office',
    tools: [
      echo('get_weather', 'Tells the weather of a city.', { readOnlyHint: true }),
      echo('send_mail', 'Sends an email to a person.'),
      echo('write_file', 'Writes a text into a file.'),
      ...more,
    ],
  });
}
