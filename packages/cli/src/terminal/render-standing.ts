import type { Tool } from '@quartermaster/core';
import type { Standing } from '@quartermaster/core/search';
import { renderExplanation } from './render-hits.ts';
import { oneLine, type Terminal } from './terminal.ts';
import { wrap } from './wrap.ts';

/** The rank of a tool for a query as a sentence, with the parts of its score if it has one. */
export function renderStanding(tool: Tool, standing: Standing, terminal: Terminal): string {
  const { paint, width } = terminal;
  const name = paint.bold(oneLine(tool.id, 80));
  switch (standing.kind) {
    case 'listed':
      return `${name} is listed, at rank ${standing.rank}:\n${renderExplanation(standing.explanation, terminal)}`;
    case 'below-limit':
      return `${name} matches, but is only at rank ${standing.rank}, below the limit:\n${renderExplanation(standing.explanation, terminal)}`;
    case 'not-matched':
      return wrap(`${name} is not listed: ${oneLine(standing.reason, 400)}`, width);
    case 'not-allowed':
      return `${name} is not listed: the caller may not see it`;
    case 'not-in-catalog':
      return `${name} is not in the catalog`;
  }
}
