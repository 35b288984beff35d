import type { Config, ServerInput } from '@quartermaster/host/config';
import type { TokenOwner, TokenStore } from '@quartermaster/host/store';

/** Finds the stored answers to the inputs of files. */
export type Answers = (source: string, id: string) => string | undefined;

/** Reads the answers from the store. An unreadable one, for example after the key was changed, counts as missing. */
export async function readAnswers(
  inputs: Config['inputs'],
  tokens: Pick<TokenStore, 'get'> | undefined,
): Promise<Answers> {
  const answers = new Map<string, string>();
  for (const input of inputs) {
    const value = await tokens?.get(ownerOf(input)).catch(() => undefined);
    if (value !== undefined) answers.set(keyOf(input), value);
  }
  return (source, id) => answers.get(keyOf({ source, id }));
}

/** Stored with the tokens, which are encrypted. The file is part of the key: no other file gets the value. */
export function ownerOf(input: Pick<ServerInput, 'source' | 'id'>): TokenOwner {
  return { user: 'mcp-input', server: keyOf(input) };
}

function keyOf({ source, id }: Pick<ServerInput, 'source' | 'id'>): string {
  return JSON.stringify([source, id]);
}
