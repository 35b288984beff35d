import type { LanguageModelV4FilePart, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { AnthropicBlock } from '@quartermaster/wires/anthropic';
import { isSeal, openSeal } from '../../internal/seal.ts';
import { fileAt, filePart } from '../file-part.ts';
import { noteOf, uncarried } from '../history-notes.ts';
import type { ModelTarget } from '../model-target.ts';
import { type AssistantPart, callPart, type ToolAnswer, type UserPart } from '../prompt-builder.ts';
import type { ProviderOptions } from '../provider-options.ts';

/** A message's blocks; a string is one block of text. */
export function blocksOf(content: unknown): readonly AnthropicBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.filter((block): block is AnthropicBlock => isJsonObject(block) && typeof block.type === 'string');
}

/** What a user says besides results. A block without a counterpart in the interface becomes text if it has any. */
export function readUserBlocks(blocks: readonly AnthropicBlock[], target: ModelTarget): readonly UserPart[] {
  return blocks.flatMap((block): readonly UserPart[] => {
    if (block.type === 'text') return textPart(block, target);
    const file = readFile(block, target);
    if (file !== undefined) return [file];
    const text = tellBlock(block);
    return text === '' ? [] : [{ type: 'text', text }];
  });
}

/** What the model said. Thoughts go back only to the provider that produced them. */
export function readAssistantBlocks(blocks: readonly AnthropicBlock[], target: ModelTarget): readonly AssistantPart[] {
  let sealed: ProviderOptions | undefined;
  return blocks.flatMap((block): readonly AssistantPart[] => {
    switch (block.type) {
      case 'text':
        return textPart(block, target);
      case 'thinking':
      case 'redacted_thinking': {
        if (block.type === 'redacted_thinking' && isSeal(block.data)) {
          // Before a call, it is the call's.
          sealed = openSeal(block.data, target.provider) as ProviderOptions | undefined;
          return [];
        }
        return readThinking(block, target);
      }
      case 'tool_use': {
        const { id, name, input } = block;
        if (typeof id !== 'string' || typeof name !== 'string') return [];
        const options = sealed;
        sealed = undefined;
        return [callPart({ id, name, input: input ?? {} }, options)];
      }
      default:
        return readServerBlock(block, target);
    }
  });
}

function readThinking(block: AnthropicBlock, target: ModelTarget): readonly AssistantPart[] {
  const text = typeof block.thinking === 'string' ? block.thinking : '';
  const { signature, data } = block;
  if (isSeal(signature)) {
    const providerOptions = openSeal(signature, target.provider) as ProviderOptions | undefined;
    return providerOptions === undefined ? [] : [{ type: 'reasoning', text, providerOptions }];
  }
  if (target.family !== 'anthropic') return [];
  const anthropic = block.type === 'thinking' ? { signature } : { redactedData: data };
  if (!Object.values(anthropic).every((value) => typeof value === 'string')) return [];
  return [{ type: 'reasoning', text, providerOptions: { anthropic } as ProviderOptions }];
}

/** What a host executed or made itself. A search goes back to a host that knows its blocks; everything else becomes a note. */
function readServerBlock(block: AnthropicBlock, target: ModelTarget): readonly AssistantPart[] {
  const { id, name, input, tool_use_id: answered, content } = block;
  if (knowsBlocks(target)) {
    if (block.type === 'server_tool_use' && typeof id === 'string' && isSearchName(name)) {
      return [{ type: 'tool-call', toolCallId: id, toolName: name, input: input ?? {}, providerExecuted: true }];
    }
    if (block.type === 'tool_search_tool_result' && typeof answered === 'string' && isJsonObject(content)) {
      return [searchResult(answered, content)];
    }
  }
  const file = readFile(block, target);
  return file === undefined ? noteOf(block, (value) => readFile(value as AnthropicBlock, target)) : [file];
}

function isSearchName(name: unknown): name is string {
  return typeof name === 'string' && name.startsWith('tool_search_tool');
}

function searchResult(id: string, content: JsonObject): AssistantPart {
  const value = content.tool_references === undefined ? content : referenceList(content.tool_references);
  const output = { type: 'json', value } as LanguageModelV4ToolResultOutput;
  return { type: 'tool-result', toolCallId: id, toolName: 'tool_search', output };
}

function referenceList(references: unknown): readonly object[] {
  const list: readonly unknown[] = Array.isArray(references) ? references : [];
  return list.flatMap((reference) =>
    isJsonObject(reference) && typeof reference.tool_name === 'string'
      ? [{ type: 'tool_reference', toolName: reference.tool_name }]
      : [],
  );
}

/** The results among a user's blocks. */
export function readResults(blocks: readonly AnthropicBlock[], target: ModelTarget): readonly ToolAnswer[] {
  return blocks.flatMap((block) =>
    block.type === 'tool_result' && typeof block.tool_use_id === 'string'
      ? [{ id: block.tool_use_id, ...readOutput(block, target) }]
      : [],
  );
}

function readOutput(block: AnthropicBlock, target: ModelTarget): Omit<ToolAnswer, 'id'> {
  const blocks = blocksOf(block.content);
  const files = blocks.flatMap((inner) => readFile(inner, target) ?? []);
  const text = blocks
    .map((inner) => (readFile(inner, target) === undefined ? tellBlock(inner) : ''))
    .filter(Boolean)
    .join('\n');
  if (block.is_error === true) return { output: { type: 'error-text', value: text }, files };
  const isPlain = files.length === 0 && blocks.every((inner) => inner.type !== 'tool_reference');
  if (isPlain) return { output: { type: 'text', value: text } };
  const value = blocks.flatMap((inner): ContentPart[] => {
    if (inner.type === 'tool_reference' && knowsBlocks(target) && typeof inner.tool_name === 'string') {
      const anthropic = { type: 'tool-reference', toolName: inner.tool_name };
      return [{ type: 'custom', providerOptions: { anthropic } }];
    }
    const file = readFile(inner, target);
    if (file !== undefined) return [file];
    const told = flatText(inner);
    return told === '' ? [] : [{ type: 'text', text: told }];
  });
  return { output: { type: 'content', value } };
}

type ContentPart = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number];

function textPart(
  block: AnthropicBlock,
  target: ModelTarget,
): readonly { type: 'text'; text: string; providerOptions?: ProviderOptions }[] {
  if (typeof block.text !== 'string' || block.text === '') return [];
  const options = cacheOptions(block, target);
  return [{ type: 'text', text: block.text, ...defined({ providerOptions: options }) }];
}

/** A cache breakpoint, for Anthropic's own API. */
export function cacheOptions(block: object, target: ModelTarget): ProviderOptions | undefined {
  const control = isJsonObject(block) ? block.cache_control : undefined;
  if (target.family !== 'anthropic' || !isJsonObject(control)) return undefined;
  return { anthropic: { cacheControl: control } } as ProviderOptions;
}

function readFile(block: AnthropicBlock, target: ModelTarget): LanguageModelV4FilePart | undefined {
  const { source, title } = block;
  if ((block.type !== 'image' && block.type !== 'document') || !isJsonObject(source)) return undefined;
  const fallback = block.type === 'image' ? 'image/*' : 'application/pdf';
  const mediaType = typeof source.media_type === 'string' ? source.media_type : fallback;
  const filename = typeof title === 'string' ? title : undefined;
  if (source.type === 'base64' && typeof source.data === 'string') {
    return filePart({ type: 'data', data: source.data }, mediaType, filename);
  }
  if (source.type === 'url' && typeof source.url === 'string') return fileAt(source.url, mediaType);
  if (source.type === 'file' && typeof source.file_id === 'string' && target.family === 'anthropic') {
    return filePart({ type: 'reference', reference: { anthropic: source.file_id } }, mediaType, filename);
  }
  return undefined;
}

/** What a block that is no file says. One that has nothing to say here is refused: the model would never know of it. */
function tellBlock(block: AnthropicBlock): string {
  const { source } = block;
  const isTold =
    TOLD.has(block.type) || (block.type === 'document' && isJsonObject(source) && TOLD.has(String(source.type)));
  if (!isTold && typeof block.text !== 'string') {
    const from = isJsonObject(source) && typeof source.type === 'string' ? ` with a source of type ${source.type}` : '';
    throw uncarried('messages', `a block of type ${block.type}${from}`);
  }
  return flatText(block);
}

const TOLD: ReadonlySet<string> = new Set(['text', 'content', 'search_result', 'tool_reference']);

/** The text in a block of any kind: a document's, a search result's, a reference's name. */
function flatText(block: AnthropicBlock): string {
  const { source, title } = block;
  if (typeof block.text === 'string') return block.text;
  if (block.type === 'tool_reference') return String(block.tool_name);
  const heading = typeof title === 'string' ? [title] : [];
  if (block.type === 'document' && isJsonObject(source)) {
    const body = typeof source.data === 'string' && source.type === 'text' ? source.data : nestedText(source.content);
    return [...heading, body].filter(Boolean).join('\n');
  }
  if (block.type !== 'search_result') return '';
  const from = typeof source === 'string' ? [source] : [];
  return [...heading, ...from, nestedText(block.content)].filter(Boolean).join('\n');
}

function nestedText(content: unknown): string {
  return blocksOf(content)
    .flatMap((block) => (typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
}

/** Whether the other host understands the blocks of a search. */
export function knowsBlocks(target: ModelTarget): boolean {
  return target.family === 'anthropic' || target.family === 'rehearsal';
}
