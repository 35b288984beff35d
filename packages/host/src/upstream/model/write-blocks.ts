import type { LanguageModelV4FilePart, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { keptIn, writeSeal } from '../internal/seal.ts';
import { base64Of } from './file-part.ts';
import type { BlockWriter } from './model-codec.ts';
import type { ModelTarget } from './model-target.ts';
import type { BlockEvent, Finish, Metadata, OpenedBlock, SourcePart } from './serialise-parts.ts';

type File = Extract<LanguageModelV4StreamPart, { type: 'file' }>;

/** How one dialect writes each kind of event. */
export interface BlockForms<Part> {
  /** What comes before everything else. */
  start(): readonly Part[];
  open(block: OpenedBlock): readonly Part[];
  delta(text: string): readonly Part[];
  close(metadata: Metadata): readonly Part[];
  source(source: SourcePart): readonly Part[];
  file(file: File): readonly Part[];
  /** @default the dialect shows no result of a call that the provider executed */
  result?(result: Extract<BlockEvent, { type: 'result' }>['result']): readonly Part[];
  finish(finish: Finish): readonly Part[];
}

/** Writes one response in a dialect. The first part opens it, whatever its kind. */
export function writeBlocks<Part>(forms: BlockForms<Part>): BlockWriter<Part> {
  let isOpen = false;
  const opening = (): readonly Part[] => {
    if (isOpen) return [];
    isOpen = true;
    return forms.start();
  };
  const write = (event: BlockEvent): readonly Part[] => {
    switch (event.type) {
      case 'open':
        return forms.open(event.block);
      case 'delta':
        return forms.delta(event.text);
      case 'close':
        return forms.close(event.metadata);
      case 'source':
        return forms.source(event.source);
      case 'file':
        return forms.file(event.file);
      case 'result':
        return forms.result?.(event.result) ?? [];
    }
  };
  return {
    write: (event) => [...opening(), ...write(event)],
    finish: (finish) => [...opening(), ...forms.finish(finish)],
  };
}

/** What must come back with a call: Google's thought signature. Other providers' calls carry nothing. */
export function sealOfCall(block: OpenedBlock, { family, provider }: ModelTarget): string | undefined {
  if (family !== 'google' || block.kind !== 'call' || Object.keys(keptIn(block.metadata)).length === 0)
    return undefined;
  return writeSeal({ provider, metadata: block.metadata });
}

/** An image that a model has made, as base64; for any other file the text that names its type. */
export function imageIn({
  data,
  mediaType,
}: Pick<LanguageModelV4FilePart, 'data' | 'mediaType'>): { readonly base64: string } | { readonly text: string } {
  const base64 = mediaType.startsWith('image/') ? base64Of(data) : undefined;
  return base64 === undefined ? { text: `[a file of type ${mediaType}]` } : { base64 };
}
