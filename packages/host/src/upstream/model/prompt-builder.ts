import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { defined } from '@quartermaster/core/internal';
import type { ModelTarget } from './model-target.ts';
import type { ProviderOptions } from './provider-options.ts';
import { moveFiles, placeAnswer, seen } from './text-answer.ts';

type Role<Name extends LanguageModelV4Message['role']> = Extract<LanguageModelV4Message, { role: Name }>;
export type UserPart = Role<'user'>['content'][number];
export type AssistantPart = Role<'assistant'>['content'][number];

/** A call of the model's, with what its provider wants back. */
export function callPart(
  call: { readonly id: string; readonly name: string; readonly input: unknown },
  providerOptions: ProviderOptions | undefined,
): AssistantPart {
  const { id, name, input } = call;
  return { type: 'tool-call', toolCallId: id, toolName: name, input, ...defined({ providerOptions }) };
}

export interface ToolAnswer {
  readonly id: string;
  readonly output: LanguageModelV4ToolResultOutput;
  /** The output format has no errors with structure: an error is a text. */
  readonly files?: readonly LanguageModelV4FilePart[];
}

/** Builds a prompt in the order of the conversation. Adjacent messages of one role are merged; empty ones are left out. */
export interface PromptBuilder {
  system(text: string, providerOptions?: ProviderOptions): void;
  user(parts: readonly UserPart[]): void;
  /** What the model said. Its files follow in a user message if the provider accepts none from a model. */
  assistant(parts: readonly AssistantPart[]): void;
  /** What a client returned for a step that has become a note. */
  returned(parts: readonly UserPart[]): void;
  /** Answers to calls. An answer whose call is not in the conversation becomes a note. */
  answers(answers: readonly ToolAnswer[]): void;
  prompt(): LanguageModelV4Prompt;
}

/**
 * Providers that reject a system message within a conversation, where some clients put one each turn. It becomes a
 * reminder there: moved to the front, it would change the prefix.
 */
const SYSTEM_FIRST: ReadonlySet<ModelTarget['family']> = new Set(['google', 'bedrock']);

export function createPromptBuilder(target: ModelTarget): PromptBuilder {
  const messages: LanguageModelV4Message[] = [];
  const names = new Map<string, string>();
  const last = <Name extends LanguageModelV4Message['role']>(role: Name): Role<Name> | undefined => {
    const message = messages.at(-1);
    return message?.role === role ? (message as Role<Name>) : undefined;
  };
  // Results come right after their calls: other content waits until the last of them.
  let waiting: UserPart[] = [];
  const unanswered = new Set<string>();
  let waitingFiles = 0;
  const wait = (parts: readonly UserPart[]): void => {
    for (const part of parts) {
      waiting.push(part);
      if (part.type === 'file') waitingFiles += 1;
    }
  };
  const addUser = (parts: readonly UserPart[]): void => {
    if (parts.length === 0) return;
    const open = last('user');
    if (open === undefined) messages.push({ role: 'user', content: [...parts] });
    else open.content.push(...parts);
  };
  const flush = (): void => {
    addUser(waiting);
    waiting = [];
    waitingFiles = 0;
  };
  return {
    system(text, providerOptions) {
      if (text === '') return;
      flush();
      if (SYSTEM_FIRST.has(target.family) && messages.some(({ role }) => role !== 'system')) {
        addUser([{ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }]);
        return;
      }
      messages.push({ role: 'system', content: text, ...defined({ providerOptions }) });
    },
    user(parts) {
      if (parts.length === 0) return;
      flush();
      addUser(parts.map((part) => seen(part, target)));
    },
    assistant(parts) {
      if (parts.length === 0) return;
      if (unanswered.size === 0) flush();
      const content = parts.flatMap((part): readonly AssistantPart[] => {
        if (part.type === 'tool-call' && part.providerExecuted !== true) {
          names.set(part.toolCallId, part.toolName);
          unanswered.add(part.toolCallId);
        }
        if (part.type !== 'file' || target.family === 'google') return [part];
        const { notes, after } = moveFiles([part], target, { taken: waitingFiles, from: 'the earlier steps' });
        wait(after);
        return notes.map((text) => ({ type: 'text', text }));
      });
      const open = last('assistant');
      if (open === undefined) messages.push({ role: 'assistant', content });
      else open.content.push(...content);
    },
    returned(parts) {
      wait(parts.map((part) => seen(part, target)));
    },
    answers(answers) {
      const content = answers.flatMap((answer) => {
        const toolName = names.get(answer.id);
        const { output, after } = placeAnswer(answer, target, waitingFiles);
        unanswered.delete(answer.id);
        if (toolName === undefined) {
          wait([{ type: 'text', text: `[Earlier step, ${UNKNOWN_CALL}: ${tellOutput(output)}]` }, ...after]);
          return [];
        }
        wait(after);
        return [{ type: 'tool-result' as const, toolCallId: answer.id, toolName, output }];
      });
      if (content.length === 0) return;
      const open = last('tool');
      if (open === undefined) messages.push({ role: 'tool', content });
      else open.content.push(...content);
    },
    prompt() {
      flush();
      return messages;
    },
  };
}

const UNKNOWN_CALL = 'result of a call that is not in this conversation';

function tellOutput(output: LanguageModelV4ToolResultOutput): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type !== 'content') return JSON.stringify(output);
  return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}
