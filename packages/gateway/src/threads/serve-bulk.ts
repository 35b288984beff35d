import type { BulkWork } from './bulk-work.ts';
import { portCalls } from './port-calls.ts';
import { workerErrors } from './thread-errors.ts';
import type { BulkJob } from './thread-job.ts';

/** Does one piece of work inside a worker. */
export function serveBulk({ bytes, owner, port }: BulkJob, work: BulkWork): void {
  const body = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), owner };
  portCalls(port, {
    errors: workerErrors,
    lost: () => new Error('The request is over'),
    handlers: {
      readUpload: (maxTools: number) => work.readUpload(body, maxTools),
      search: (_: undefined, signal: AbortSignal) => work.search(body, signal),
    },
  });
}
