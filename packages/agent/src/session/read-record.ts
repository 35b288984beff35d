import { isJsonObject } from '@quartermaster/core/catalog';
import { tryParseJson } from '@quartermaster/core/internal';
import type { AnthropicMessage } from '@quartermaster/wires/anthropic';
import type { SessionRecord } from './session-store.ts';

/** The record in a line, if there is one: a line that a crash cut off loses itself, not the session. */
export function readRecord(text: string): readonly SessionRecord[] {
  const value = tryParseJson(text);
  if (!isJsonObject(value)) return [];
  if (value.kind === 'message' && isMessage(value.message)) return [{ kind: 'message', message: value.message }];
  if (value.kind !== 'restart' || !Array.isArray(value.messages)) return [];
  return [{ kind: 'restart', messages: (value.messages as readonly unknown[]).filter(isMessage) }];
}

function isMessage(value: unknown): value is AnthropicMessage {
  return (
    isJsonObject(value) &&
    typeof value.role === 'string' &&
    (typeof value.content === 'string' || Array.isArray(value.content))
  );
}
