import { readSource } from './read-source.fixture.ts';

/** Every kind of event with its fields, from the types that define them. */
export function renderEvents(): string {
  const kinds = [
    ...eventsIn(readSource('packages/core/src/dispatch/events.ts'), 'ToolboxEvent'),
    ...eventsIn(readSource('packages/gateway/src/events/gateway-event.ts'), 'GatewayEvent'),
  ];
  return `# Events

What happens while a request is answered. A toolbox and the adapters give events to \`onEvent\`; the
gateway collects them into one record for each request (\`GET /v1/activity\`). This page is generated from
the types. Events contain names, counts, sizes and times, never arguments, results or secrets. Query
texts are there only with \`recordQueries\`, or \`insight: queries\` in the gateway.

Every event of a toolbox also has \`atMs\` and, where known, \`callId\`, \`callerId\` and \`requestId\`.

${kinds.map(renderEvent).join('\n')}`;
}

interface EventKind {
  readonly kind: string;
  readonly text: string;
  readonly fields: readonly { readonly name: string; readonly type: string; readonly text: string }[];
}

function renderEvent({ kind, text, fields }: EventKind): string {
  const rows = fields.map(
    (field) => `| \`${field.name}\` | \`${field.type.replaceAll('|', '\\|')}\` | ${field.text} |`,
  );
  const intro = text === '' ? '' : `${text}\n\n`;
  return `## ${kind}\n\n${intro}| field | type | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function eventsIn(source: string, type: string): readonly EventKind[] {
  const [, body = ''] = new RegExp(`export type ${type} =([\\s\\S]*?);\\n\\n`).exec(source) ?? [];
  return body
    .split(/\n {2}\| /)
    .filter((part) => part.includes('readonly kind:'))
    .map((part) => {
      const fields = [...part.matchAll(FIELD)].map(([, text = '', name = '', optional = '', value = '']) => ({
        ...{ name: `${name}${optional}`, type: value.trim().replace(/ \| undefined$/, ''), text },
      }));
      const kind = fields.find(({ name }) => name === 'kind');
      return {
        kind: (kind?.type ?? '').replaceAll("'", ''),
        text: kind?.text ?? '',
        fields: fields.filter(({ name }) => name !== 'kind'),
      };
    });
}

const FIELD = /(?:\/\*\* (.*?) \*\/\s*)?readonly (\w+)(\??): ([^;]+?)(?:;| \}\))/g;
