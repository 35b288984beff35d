import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import type { ProviderOptions } from './merge-options.ts';
import type { ModelTarget } from './model-target.ts';

type Role<Name extends LanguageModelV4Message['role']> = Extract<LanguageModelV4Message, { role: Name }>;
export type UserPart = Role<'user'>['content'][number];
export type AssistantPart = Role<'assistant'>['content'][number];

export interface ToolAnswer {
  readonly id: string;
  readonly output: LanguageModelV4ToolResultOutput;
}

/** Builds a prompt in the order of the conversation. Neighbours of one role become one message; empty ones are left out. */
export interface PromptBuilder {
  system(text: string, providerOptions?: ProviderOptions): void;
  user(parts: readonly UserPart[]): void;
  assistant(parts: readonly AssistantPart[]): void;
  /** Answers to calls. An answer whose call is not in the conversation is nobody's, and left out. */
  answers(answers: readonly ToolAnswer[]): void;
  prompt(): LanguageModelV4Prompt;
}

/**
 * Providers that refuse a system message in the middle of a conversation, where some clients put one each turn. It is told as a
 * reminder there: hoisted, it would change what comes before everything else.
 */
const SYSTEM_FIRST: ReadonlySet<ModelTarget['family']> = new Set(['google', 'bedrock']);

export function createPromptBuilder(target: ModelTarget): PromptBuilder {
  const messages: LanguageModelV4Message[] = [];
  const names = new Map<string, string>();
  const last = <Name extends LanguageModelV4Message['role']>(role: Name): Role<Name> | undefined => {
    const message = messages.at(-1);
    return message?.role === role ? (message as Role<Name>) : undefined;
  };
  return {
    system(text, providerOptions) {
      if (text === '') return;
      if (SYSTEM_FIRST.has(target.family) && messages.some(({ role }) => role !== 'system')) {
        this.user([{ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }]);
        return;
      }
      messages.push({ role: 'system', content: text, ...(providerOptions === undefined ? {} : { providerOptions }) });
    },
    user(parts) {
      if (parts.length === 0) return;
      const open = last('user');
      if (open === undefined) messages.push({ role: 'user', content: [...parts] });
      else open.content.push(...parts);
    },
    assistant(parts) {
      if (parts.length === 0) return;
      for (const part of parts) if (part.type === 'tool-call') names.set(part.toolCallId, part.toolName);
      const open = last('assistant');
      if (open === undefined) messages.push({ role: 'assistant', content: [...parts] });
      else open.content.push(...parts);
    },
    answers(answers) {
      const content = answers.flatMap(({ id: toolCallId, output }) => {
        const toolName = names.get(toolCallId);
        return toolName === undefined ? [] : [{ type: 'tool-result' as const, toolCallId, toolName, output }];
      });
      if (content.length === 0) return;
      const open = last('tool');
      if (open === undefined) messages.push({ role: 'tool', content });
      else open.content.push(...content);
    },
    prompt: () => messages,
  };
}
