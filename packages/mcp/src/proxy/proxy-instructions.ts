import type { Hub } from '../hub/index.ts';
import type { Session } from './session.ts';

const MOST_PER_SERVER = 1_000;
const MOST_IN_ALL = 4_000;

/** What the servers behind say about their use, each under its name, within bounds. */
export function proxyInstructions(hub: Hub, session: Session): string | undefined {
  let text = '';
  for (const { name, instructions } of hub.servers()) {
    if (instructions === undefined || instructions === '' || !session.permissions.allowsServer(name)) continue;
    const part = `${text === '' ? '' : '\n\n'}${name}: ${instructions.slice(0, MOST_PER_SERVER)}`;
    if (text.length + part.length > MOST_IN_ALL) break;
    text += part;
  }
  return text === '' ? undefined : text;
}
