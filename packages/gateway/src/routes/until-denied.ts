import { type Clock, every } from '@quartermaster/core/internal';

/** A stream that only listens, until its client may no longer do so. A failing store says nothing about the client. */
export function untilDenied(
  body: ReadableStream<Uint8Array>,
  { after, mayGoOn }: { readonly after: Clock['after']; mayGoOn(): Promise<boolean> },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isOver = false;
  let cancelChecks: () => void = () => undefined;
  const stop = (): void => {
    isOver = true;
    cancelChecks();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      cancelChecks = every({ after }, CHECK_MS, async () => {
        const may = await mayGoOn().catch(() => true);
        if (isOver || may) return;
        stop();
        controller.close();
        // Its client is gone either way.
        await reader.cancel().catch(() => undefined);
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        stop();
        throw error;
      });
      if (isOver) return;
      if (!done) return controller.enqueue(value);
      stop();
      controller.close();
    },
    cancel(reason) {
      stop();
      return reader.cancel(reason);
    },
  });
}

/** How long a stream may outlive the permissions of its client. */
const CHECK_MS = 15_000;
