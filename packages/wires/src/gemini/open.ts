import { parseTools } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';
import type { Opened } from '@quartermaster/core/loop';
import { contentsOf, type GeminiRequest, latestTextIndex, textOf } from './gemini-shapes-2026-11.ts';

/**
 * Reads the declared functions and the user's latest text. Built-in tools are not part of the catalog: they pass through. The method,
 * not the body, says whether the client wants a stream. Throws for several candidates at once: each would search separately.
 */
export function openRequest(request: GeminiRequest): Opened {
  const count = request.generationConfig?.candidateCount;
  if (typeof count === 'number' && count > 1) {
    throw new RequestError(
      'unsupported_request',
      `candidateCount is ${count}; tool search supports one candidate. Leave it out, and send several requests for several answers`,
      { context: { parameter: 'candidateCount', value: count } },
    );
  }
  const contents = contentsOf(request);
  const user = contents[latestTextIndex(contents)];
  const { tools } = parseTools(declarationsIn(request), { format: 'gemini', onProblem: 'throw' });
  return {
    tools,
    ...(typeof request.model === 'string' ? { model: request.model.replace(/^models\//, '') } : {}),
    stream: false,
    ...(user === undefined ? {} : { userText: textOf(user) }),
  };
}

/** Every function that the request declares, as received. */
export function declarationsIn(request: GeminiRequest): readonly unknown[] {
  return toolEntries(request).flatMap((entry) => {
    const { functionDeclarations } = entry;
    return Array.isArray(functionDeclarations) ? functionDeclarations : [];
  });
}

/** The entries of `tools`, in whatever form. */
export function toolEntries(request: GeminiRequest): readonly JsonObject[] {
  return Array.isArray(request.tools) ? request.tools.filter(isJsonObject) : [];
}
