import { UpstreamError } from '@quartermaster/core/errors';
import { readResponseText } from '@quartermaster/core/internal';
import { quoteAnswer } from './quote-answer.ts';
import { tooLarge } from './too-large.ts';

/** A body as JSON. */
export async function readJson(response: Response, maxBytes: number): Promise<unknown> {
  const { text, isCut } = await readResponseText(response, maxBytes);
  if (isCut) throw tooLarge(maxBytes);
  return parseJson(text);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `The upstream sent something that is not JSON: ${JSON.stringify(quoteAnswer(text).slice(0, 200))}`;
    throw new UpstreamError({ code: 'malformed', message, cause });
  }
}
