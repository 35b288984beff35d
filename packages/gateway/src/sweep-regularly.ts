import type { Clock } from '@quartermaster/core/internal';
import { originOf } from './http/index.ts';
import type { Logger } from './logger.ts';

const SWEEP_MS = 60_000;

/** Has each place drop what is out of date, once a minute. Any replica may do it, and none has to. Gives a function that ends it. */
export function sweepRegularly(
  places: readonly { sweep(): Promise<void> }[],
  { clock, logger }: { clock: Clock; logger: Logger },
): () => void {
  let cancel: () => void = () => undefined;
  const schedule = (): void => {
    cancel = clock.after(SWEEP_MS, () => {
      for (const place of places) {
        place.sweep().catch((error: unknown) => {
          logger.log({ level: 'error', event: 'work-fail', work: 'sweep', ...originOf(error) });
        });
      }
      schedule();
    });
  };
  schedule();
  return () => cancel();
}
