import { UpstreamError } from '../upstream-error.ts';
import { quoteAnswer } from './quote-answer.ts';
import { tooLarge } from './too-large.ts';

/** A body's text, up to a number of bytes. `isCut` says that there was more. */
export async function readText(
  response: Response,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  if (response.body === null) return { text: '', isCut: false };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode(), isCut: false };
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        reader.cancel().catch(() => undefined);
        return { text, isCut: true };
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    reader.releaseLock();
  }
}

/** A body as JSON. */
export async function readJson(response: Response, maxBytes: number): Promise<unknown> {
  const { text, isCut } = await readText(response, maxBytes);
  if (isCut) throw tooLarge(maxBytes);
  return parseJson(text);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `The upstream sent what is no JSON: ${JSON.stringify(quoteAnswer(text).slice(0, 200))}`;
    throw new UpstreamError({ code: 'malformed', message, cause });
  }
}
