import { type LoopOptions, runLoop } from './run-loop.ts';
import type { Whole } from './wire.ts';

/** What the loop needs for one response that is not streamed. */
export interface WholeOptions<Request, Part, Response> extends Omit<LoopOptions<Request, Part>, 'upstream'> {
  readonly whole: Whole<Response, Part>;
  /** Asks for a whole response. */
  readonly upstream: (request: Request, signal: AbortSignal) => Promise<Response>;
}

/** The same loop for a client that does not stream. */
export async function runWhole<Request, Part, Response>(
  options: WholeOptions<Request, Part, Response>,
): Promise<Response> {
  const { whole, upstream, ...rest } = options;
  const parts: Part[] = [];
  const loop = runLoop<Request, Part>({
    ...rest,
    async *upstream(request, signal) {
      yield* whole.toParts(await upstream(request, signal));
    },
  });
  for await (const part of loop) parts.push(part);
  return whole.fromParts(parts);
}
