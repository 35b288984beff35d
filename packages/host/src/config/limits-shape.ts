import type { LimitSettings } from './config.ts';
import { bytes, milliseconds, whole } from './scalar-shapes.ts';
import { object, type Shape } from './shape.ts';

const MEBIBYTE = 1024 * 1024;

/** Limits on what one request may cost. */
export const LIMITS: Shape<LimitSettings> = object({
  bodyBytes: { about: 'Maximum size of a request body.', shape: bytes(), default: 32 * MEBIBYTE },
  batchBytes: { about: 'Maximum size of a request that creates a batch.', shape: bytes(), default: 256 * MEBIBYTE },
  batchItems: {
    about: 'Maximum number of requests in a batch.',
    shape: whole({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    default: 100_000,
  },
  batchConcurrency: {
    about: 'How many batch items are processed at a time; 0 leaves them to other replicas.',
    shape: whole({ min: 0, max: 1000 }),
    default: 4,
  },
  rounds: {
    about: 'Maximum model calls for one response; after that it ends with pause_turn.',
    shape: whole({ min: 1, max: 100 }),
    default: 12,
  },
  upstreamTimeoutMs: { about: 'How long an upstream may be silent.', shape: milliseconds(), default: 600_000 },
  upstreamRetries: {
    about: 'How often a request is retried after an error that a retry may fix.',
    shape: whole({ min: 0, max: 10 }),
    default: 2,
  },
  indexCacheBytes: {
    about: 'Memory for known tools and their indexes, of all keys together; half of it is for large bodies.',
    shape: bytes(),
    default: 512 * MEBIBYTE,
  },
  inProgressBytes: {
    about:
      "Memory for the bodies of all requests in progress, parsed; at most half of Node's heap. One key's requests may take half of it, and less while others have some; beyond that they get a 503.",
    shape: bytes(),
    default: 2048 * MEBIBYTE,
  },
  requestTools: {
    about: 'Maximum number of tools that a request may define itself.',
    shape: whole({ min: 1, max: 1_000_000 }),
    default: 10_000,
  },
  catalogTools: {
    about: 'Maximum number of tools in a stored catalog.',
    shape: whole({ min: 1, max: 1_000_000 }),
    default: 100_000,
  },
  searchedTools: {
    about: 'Maximum number of tools of a request, including all catalogs that it names.',
    shape: whole({ min: 1, max: 2_000_000 }),
    default: 200_000,
  },
  queryLength: {
    about: 'Maximum length of a search query, in characters.',
    shape: whole({ min: 1, max: 100_000 }),
    default: 4096,
  },
  offThreadBytes: {
    about: 'Bodies of this size or larger are parsed on a worker thread.',
    shape: bytes(),
    default: MEBIBYTE,
  },
});
