import type { Tell, View } from '@quartermaster/core/disclosure';
import { defined } from '@quartermaster/core/internal';
import {
  contentsOf,
  type GeminiContent,
  type GeminiRequest,
  latestTextIndex,
  partsOf,
} from './gemini-shapes-2026-11.ts';
import { renderContents, stripContents } from './render-contents.ts';
import { renderToolConfig, renderTools } from './render-tools.ts';

/** The plain request that goes upstream. */
export function renderRequest(request: GeminiRequest, view: View, tell: Tell): GeminiRequest {
  const { plan, tail } = view;
  const given = contentsOf(request);
  if (plan.kind === 'inline') {
    const contents = stripContents(given);
    return contents === given ? request : { ...request, contents };
  }
  const toolConfig = renderToolConfig(request, plan);
  return {
    ...request,
    ...(plan.note === undefined ? {} : { systemInstruction: withText(request.systemInstruction ?? {}, plan.note) }),
    contents: withTail(renderContents(given, plan, tell), tail),
    tools: renderTools(request, { ...view, plan }),
    ...defined({ toolConfig }),
  };
}

function withTail(contents: readonly GeminiContent[], tail: string | undefined): readonly GeminiContent[] {
  if (tail === undefined) return contents;
  const latest = latestTextIndex(contents);
  return contents.map((content, index) => (index === latest ? withText(content, tail) : content));
}

/** As a part of its own: nothing that is there changes by a byte. */
function withText(content: GeminiContent, text: string): GeminiContent {
  return { ...content, parts: [...partsOf(content), { text }] };
}
