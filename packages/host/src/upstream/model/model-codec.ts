import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelTarget } from './model-target.ts';
import type { BlockEvent, Finish } from './serialise-parts.ts';

/** One dialect towards the AI SDK's provider interface: requests one way, blocks the other. */
export interface ModelCodec<Request, Part> {
  toCall(request: Request, target: ModelTarget): LanguageModelV4CallOptions;
  writer(request: Request, context: WriterContext): BlockWriter<Part>;
  /** The request without the parts that `writer` has sealed, which only `toCall` can read. @default the writer seals nothing */
  withoutSeals?(request: Request): Request;
  /** Whether there are blocks for calls that this provider executes itself. Otherwise they are shown as thoughts. @default false */
  showsExecuted?(target: ModelTarget): boolean;
  /** Whether clients can work with the provider's own id of a response. @default true */
  isUsableId?(id: string): boolean;
}

export interface WriterContext {
  readonly target: ModelTarget;
  /** The response's id, as the provider gave it or made up. */
  readonly id: string;
  readonly model: string;
  readonly createdMs: number;
}

/** Writes one response. The first part opens it, whatever its kind. */
export interface BlockWriter<Part> {
  write(event: BlockEvent): readonly Part[];
  finish(finish: Finish): readonly Part[];
}
