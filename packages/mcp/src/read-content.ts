import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/** One part of a tool's result. `undefined` means that the server left it out, or sent something that is not a string. */
export type ContentPart =
  /** Text, including that of an embedded resource. */
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'media';
      readonly type: 'image' | 'audio';
      readonly mimeType: string | undefined;
      /** In base64. */
      readonly data: string | undefined;
    }
  | { readonly kind: 'link'; readonly name: string | undefined; readonly uri: string | undefined }
  /** An embedded resource that is not text. */
  | { readonly kind: 'file'; readonly mimeType: string | undefined; readonly uri: string | undefined }
  /** An unknown type, or one that lacks a required field. */
  | { readonly kind: 'other'; readonly part: JsonObject };

/**
 * The content of a `tools/call` result. The hub forwards what a server sent without a check, so nothing is assumed here: a
 * result without a list has no parts, and anything but an object is skipped. Each surface decides how to show a part to a
 * model.
 */
export function readContent(result: unknown): readonly ContentPart[] {
  const content: readonly unknown[] = isJsonObject(result) && Array.isArray(result.content) ? result.content : [];
  return content.filter(isJsonObject).map(readPart);
}

function readPart(part: JsonObject): ContentPart {
  const { type, text, mimeType, data, name, uri, resource } = part;
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text };
  if (type === 'image' || type === 'audio') {
    return { kind: 'media', type, mimeType: stringOf(mimeType), data: stringOf(data) };
  }
  if (type === 'resource_link') return { kind: 'link', name: stringOf(name), uri: stringOf(uri) };
  if (type === 'resource' && isJsonObject(resource)) {
    return typeof resource.text === 'string'
      ? { kind: 'text', text: resource.text }
      : { kind: 'file', mimeType: stringOf(resource.mimeType), uri: stringOf(resource.uri) };
  }
  return { kind: 'other', part };
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
