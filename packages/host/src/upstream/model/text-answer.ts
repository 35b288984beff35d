import type { LanguageModelV4FilePart, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import type { ModelTarget } from './model-target.ts';
import type { ToolAnswer, UserPart } from './prompt-builder.ts';

export interface PlacedAnswer {
  readonly output: LanguageModelV4ToolResultOutput;
  /** What the result contained and can't carry, for a user message after the results. */
  readonly after: readonly UserPart[];
}

/** A result as the provider accepts it. `taken` is how many files of earlier results wait for the same message. */
export function placeAnswer(answer: ToolAnswer, target: ModelTarget, taken: number): PlacedAnswer {
  const { output } = answer;
  const files = answer.files ?? [];
  // The results of Chat hosts are text only: the AI SDK would send them a file's base64 as JSON text.
  const takesFiles = target.family !== 'other';
  if (output.type !== 'content') {
    const isText = output.type === 'text' || output.type === 'error-text';
    if (files.length === 0 || !isText) return { output, after: [] };
    const moved = moveFiles(files, target, { taken, from: RESULTS });
    return { output: { ...output, value: lines([output.value, ...moved.notes]) }, after: moved.after };
  }
  if (takesFiles)
    return { output: { type: 'content', value: output.value.map((part) => seen(part, target)) }, after: [] };
  const carried = output.value.filter((part) => part.type === 'text' || part.type === 'file');
  const { notes, after } = moveFiles(carried, target, { taken, from: RESULTS });
  return { output: { type: 'text', value: lines(notes) }, after };
}

/** A part that the model can read: a note replaces an image that it can't see. */
export function seen<Part extends { readonly type: string }>(
  part: Part | LanguageModelV4FilePart,
  target: ModelTarget,
): Part | LanguageModelV4FilePart | { readonly type: 'text'; readonly text: string } {
  return isFile(part) && isHidden(part, target) ? { type: 'text', text: HIDDEN } : part;
}

const HIDDEN = '[An image was here; this model cannot read images.]';

function isFile(part: { readonly type: string }): part is LanguageModelV4FilePart {
  return part.type === 'file';
}

function isHidden({ mediaType }: LanguageModelV4FilePart, target: ModelTarget): boolean {
  return target.seesImages === false && mediaType.startsWith('image/');
}

const RESULTS = 'the tool results';

/** Files for a user message, and the text that replaces them. Texts between them stay where they are. */
export function moveFiles(
  parts: readonly (LanguageModelV4FilePart | { readonly type: 'text'; readonly text: string })[],
  target: ModelTarget,
  { taken, from }: { readonly taken: number; readonly from: string },
): { readonly notes: readonly string[]; readonly after: readonly UserPart[] } {
  const notes: string[] = [];
  const after: UserPart[] = [];
  let count = taken;
  for (const file of parts) {
    if (file.type === 'text') {
      notes.push(file.text);
      continue;
    }
    const kind = file.mediaType.startsWith('image/') ? 'image' : 'file';
    if (isHidden(file, target)) notes.push(HIDDEN);
    // Chat hosts fetch images, and nothing else.
    else if (kind === 'file' && file.data.type === 'url') notes.push(`[file at ${file.data.url.href}]`);
    else {
      count += 1;
      notes.push(`[${kind} ${count}: in the next message]`);
      after.push({ type: 'text', text: `[${kind} ${count} of ${from}]` }, file);
    }
  }
  return { notes, after };
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
