import { parseTools, type Tool } from '@quartermaster/core';
import type { Opened } from '@quartermaster/core/loop';
import { latestTextIndex, type ModelRequest, textOf, toolsOf } from './language-model-v4-shapes-2026-11.ts';

/** Provider tools that search for other tools: Anthropic's and OpenAI's. */
const SEARCH_TOOL = /^(?:anthropic|openai)\.tool_search/;

/** The provider's own search tool in a request, if there is one. */
export function hostedSearch(request: ModelRequest): { readonly name: string } | undefined {
  return toolsOf(request).find((tool) => tool.type === 'provider' && SEARCH_TOOL.test(tool.id));
}

/** Reads the tools of a request and the user's latest text. A provider-defined tool is never deferred. */
export function openRequest(request: ModelRequest): Opened {
  const search = hostedSearch(request);
  const user = request.prompt[latestTextIndex(request.prompt)];
  return {
    tools: readTools(request),
    stream: false,
    ...(search === undefined ? {} : { search: { kind: 'hosted', engine: 'any', name: search.name } }),
    ...(user === undefined ? {} : { userText: textOf(user) }),
  };
}

/** The tools of a request without its provider's search. */
export function readTools(request: ModelRequest): readonly Tool[] {
  const search = hostedSearch(request);
  const tools = toolsOf(request).filter((tool) => tool !== search);
  return parseTools(tools, { format: 'ai-sdk', onProblem: 'throw' }).tools;
}
