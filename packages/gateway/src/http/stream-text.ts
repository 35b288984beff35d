/** How much is encoded at a time: well below a millisecond. */
const PIECE_CHARACTERS = 64 * 1024;

/** Texts one after the other as UTF-8, in pieces as fast as the client reads them: a whole catalog would block the event loop. */
export function streamText(texts: readonly string[]): ReadableStream<Uint8Array> {
  const pieces = piecesOf(texts);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      // Pulls follow each other within one turn as long as the client reads everything.
      await new Promise((resolve) => setImmediate(resolve));
      const { done, value } = pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}

/** Never cut between the halves of a surrogate pair: each would become a replacement character. */
function* piecesOf(texts: readonly string[]): Generator<string, undefined> {
  for (const text of texts) {
    for (let start = 0; start < text.length; ) {
      let end = Math.min(start + PIECE_CHARACTERS, text.length);
      if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
      yield text.slice(start, end);
      start = end;
    }
  }
  return undefined;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
