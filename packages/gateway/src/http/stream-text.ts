import { TextEncoderStream, ReadableStream as WebStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';

/** How much is encoded at a time: well below a millisecond. */
const PIECE_CHARACTERS = 64 * 1024;

/** Texts one after the other as UTF-8, in pieces as fast as the client reads them: a whole catalog would block the event loop. */
export function streamText(texts: readonly string[]): ReadableStream<Uint8Array> {
  return encodedStream(piecesOf(texts));
}

/** Texts as UTF-8, each made when the client is ready for it. */
export function encodedStream(texts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  return WebStream.from(texts).pipeThrough(new TextEncoderStream()) as ReadableStream<Uint8Array>;
}

/** A JSON object with one more field, a list of any length, whose members are written as fast as the client reads them. */
export function streamList(head: object, field: string, members: readonly unknown[]): Response {
  const body = encodedStream(listPieces(head, field, members));
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}

/** Of the longest members that catalogs have, so many are written in a few milliseconds. */
const PIECE_MEMBERS = 100;

async function* listPieces(head: object, field: string, members: readonly unknown[]): AsyncGenerator<string> {
  const fields = JSON.stringify(head).slice(1, -1);
  yield `{${fields}${fields === '' ? '' : ','}${JSON.stringify(field)}:[`;
  for (let start = 0; start < members.length; start += PIECE_MEMBERS) {
    await setImmediate();
    const written = JSON.stringify(members.slice(start, start + PIECE_MEMBERS)).slice(1, -1);
    yield start === 0 ? written : `,${written}`;
  }
  yield ']}';
}

/** A surrogate pair may be cut: the encoder waits for its other half. */
async function* piecesOf(texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) {
    for (let start = 0; start < text.length; start += PIECE_CHARACTERS) {
      // Pulls follow each other within one turn as long as the client reads everything.
      await setImmediate();
      yield text.slice(start, start + PIECE_CHARACTERS);
    }
  }
}
