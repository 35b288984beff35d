import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Dialect, PartOf, RequestOf } from '../dialect.ts';
import type { ModelTarget } from './model-target.ts';
import type { BlockEvent, Finish } from './serialise-parts.ts';

/** One dialect towards the AI SDK's provider interface: requests one way, blocks the other. */
export interface ModelCodec<D extends Dialect> {
  toCall(request: RequestOf<D>, target: ModelTarget): LanguageModelV4CallOptions;
  writer(request: RequestOf<D>, context: WriterContext): BlockWriter<PartOf<D>>;
}

export interface WriterContext {
  readonly target: ModelTarget;
  /** The response's id, as the provider gave it or made up. */
  readonly id: string;
  readonly model: string;
  readonly createdMs: number;
}

/** Writes one response. Its first part opens it, whatever that is of. */
export interface BlockWriter<Part> {
  write(event: BlockEvent): readonly Part[];
  finish(finish: Finish): readonly Part[];
}
