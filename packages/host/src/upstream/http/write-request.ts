import { DIALECTS, type DialectName, type RequestOf } from '../dialect.ts';
import { unsealed, writeBody } from './post.ts';

/** What a request asks for: its body says whether it wants a stream. */
export type Asking = 'stream' | 'whole' | 'count';

/**
 * A request whose body is already written, in the place of the request. For hosts that take bodies as they are (`takesWritten`): a large
 * body can be written on one thread and sent by another, which never has to look at its values.
 */
export class WrittenRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
  }

  /** The start of the body, of at least `length` characters where it has as many. */
  start(length: number): string {
    // A character takes at most three bytes for each UTF-16 unit.
    return new TextDecoder().decode(this.bytes.subarray(0, length * 3 + 1));
  }
}

/** The body of a request to a host that speaks its dialect. Throws a `RequestError` if it is nested too deeply. */
export function writeRequest<Name extends DialectName>(
  dialect: Name,
  request: RequestOf<Name> | WrittenRequest,
  asking: Asking,
): string | Uint8Array<ArrayBuffer> {
  if (request instanceof WrittenRequest) return request.bytes;
  const plain = unsealed(DIALECTS[dialect], request);
  if (asking === 'count') return writeBody(plain);
  if (asking === 'stream') return writeBody({ ...plain, stream: true });
  const { stream: _, stream_options: __, ...whole } = plain as RequestOf<Name> & Partial<Record<string, unknown>>;
  return writeBody(whole);
}
