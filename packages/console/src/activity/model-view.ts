import { isObject, readJson } from '../shell/read-json.ts';

/** What a model read before the conversation, in whichever protocol it was sent. */
export interface ModelView {
  readonly system: string;
  readonly tools: readonly ModelTool[];
  readonly messages: number;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
}

/** Reads the body of a request to a model. Undefined if it was cut, or is none. */
export function readModelView(request: string): ModelView | undefined {
  const body = readJson(request);
  if (!isObject(body)) return undefined;
  const messages = [body.messages, body.input, body.contents].find((list) => Array.isArray(list)) as
    | readonly unknown[]
    | undefined;
  const own = (messages ?? []).filter(
    (message) => isObject(message) && (message.role === 'system' || message.role === 'developer'),
  );
  const system = [body.system, body.instructions, body.systemInstruction, ...own]
    .map(textOf)
    .filter((text) => text !== '');
  return {
    system: system.join('\n\n'),
    tools: (Array.isArray(body.tools) ? body.tools : []).flatMap(toolsOf),
    messages: (messages?.length ?? 0) - own.length,
  };
}

function toolsOf(entry: unknown): readonly ModelTool[] {
  if (!isObject(entry)) return [];
  if (Array.isArray(entry.functionDeclarations)) return entry.functionDeclarations.flatMap(toolsOf);
  const tool = isObject(entry.function) ? entry.function : entry;
  const name = tool.name ?? tool.type;
  if (typeof name !== 'string') return [];
  return [{ name, description: typeof tool.description === 'string' ? tool.description : '' }];
}

/** Text, blocks of text, or a message with either. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((text) => text !== '')
      .join('\n');
  if (!isObject(value)) return '';
  return textOf(value.text ?? value.content ?? value.parts ?? '');
}
