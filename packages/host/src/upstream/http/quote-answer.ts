import { cutText } from '@quartermaster/core/internal';

/** How much of an answer that is no JSON is quoted in an error. */
const MOST_QUOTED = 500;
const MOST_TITLE = 100;

/** What an upstream said, for an error's message. Of a page of HTML, as proxies send it, only the title is worth repeating. */
export function quoteAnswer(text: string): string {
  const trimmed = text.trim();
  if (!/^<(?:!doctype|html|head|body|\?xml)\b/i.test(trimmed)) return cutText(trimmed, MOST_QUOTED);
  const title = /<title[^>]*>([^<]*)/i.exec(trimmed.slice(0, MOST_SEARCHED))?.[1]?.replace(/\s+/g, ' ').trim() ?? '';
  return title === '' ? 'a page of HTML' : `an HTML page titled ${JSON.stringify(title.slice(0, MOST_TITLE))}`;
}

const MOST_SEARCHED = 10_000;
