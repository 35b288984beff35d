import { isJsonObject } from '@quartermaster/core/catalog';
import { cutText } from '@quartermaster/core/internal';
import type { AnthropicMessage } from '@quartermaster/wires/anthropic';

const MOST_RESULT_CHARACTERS = 2_000;

/** A conversation as text, for a model that summarizes it. If it is too long, the middle is cut, because it begins with the task. */
export function transcript(messages: readonly AnthropicMessage[], mostCharacters: number): string {
  const text = messages.map(({ role, content }) => `${role}: ${contentText(content)}`).join('\n\n');
  if (text.length <= mostCharacters) return text;
  const half = Math.floor(mostCharacters / 2);
  // Hosts reject half a character.
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, '');
  return `${cutText(text, half)}\n\n[${text.length - 2 * half} characters left out]\n\n${tail}`;
}

/** What the user said, in order: it must survive if no summary can be written. */
export function userTexts(messages: readonly AnthropicMessage[]): readonly string[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== 'user') return [];
    const text = typeof content === 'string' ? content : content.flatMap(plainText).join('\n');
    return text.trim() === '' ? [] : [text];
  });
}

function contentText(content: AnthropicMessage['content']): string {
  return typeof content === 'string' ? content : content.map(blockText).join('\n');
}

function plainText(block: unknown): readonly string[] {
  return isJsonObject(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : [];
}

function blockText(block: unknown): string {
  if (!isJsonObject(block)) return '';
  switch (block.type) {
    case 'text':
      return String(block.text);
    case 'tool_use':
    case 'server_tool_use':
      return `[calls ${String(block.name)} with ${cutText(JSON.stringify(block.input) ?? '', MOST_RESULT_CHARACTERS)}]`;
    case 'tool_result': {
      const text =
        typeof block.content === 'string'
          ? block.content
          : (Array.isArray(block.content) ? block.content : []).flatMap(plainText).join('\n');
      return `[result: ${cutText(text, MOST_RESULT_CHARACTERS)}]`;
    }
    default:
      return '';
  }
}
