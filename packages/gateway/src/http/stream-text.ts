/** How much is encoded at a time: well below a millisecond. */
const PIECE_CHARACTERS = 64 * 1024;

/** Texts one after the other as UTF-8, in pieces as fast as the client reads them: a whole catalog would block the event loop. */
export function streamText(texts: readonly string[]): ReadableStream<Uint8Array> {
  return encodedStream(piecesOf(texts));
}

/** Texts as UTF-8, each made when the client is ready for it. */
export function encodedStream(texts: AsyncGenerator<string, undefined>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

/** A JSON object with one more field, a list of any length, whose members are written as fast as the client reads them. */
export function streamList(head: object, field: string, members: readonly unknown[]): Response {
  const body = encodedStream(listPieces(head, field, members));
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}

/** Of the longest members that catalogs have, so many are written in a few milliseconds. */
const PIECE_MEMBERS = 100;

async function* listPieces(
  head: object,
  field: string,
  members: readonly unknown[],
): AsyncGenerator<string, undefined> {
  const fields = JSON.stringify(head).slice(1, -1);
  yield `{${fields}${fields === '' ? '' : ','}${JSON.stringify(field)}:[`;
  for (let start = 0; start < members.length; start += PIECE_MEMBERS) {
    await new Promise((resolve) => setImmediate(resolve));
    const written = JSON.stringify(members.slice(start, start + PIECE_MEMBERS)).slice(1, -1);
    yield start === 0 ? written : `,${written}`;
  }
  yield ']}';
  return undefined;
}

/** Never cut between the halves of a surrogate pair: each would become a replacement character. */
async function* piecesOf(texts: readonly string[]): AsyncGenerator<string, undefined> {
  for (const text of texts) {
    for (let start = 0; start < text.length; ) {
      let end = Math.min(start + PIECE_CHARACTERS, text.length);
      if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
      // Pulls follow each other within one turn as long as the client reads everything.
      await new Promise((resolve) => setImmediate(resolve));
      yield text.slice(start, end);
      start = end;
    }
  }
  return undefined;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
