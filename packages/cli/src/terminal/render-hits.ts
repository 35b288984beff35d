import type { SearchResult, Tool } from '@quartermaster/core';
import type { Explanation, Hit, Standing } from '@quartermaster/core/search';
import { oneLine, type Terminal } from './terminal.ts';
import { wrap } from './wrap.ts';

/** A search answer as a numbered list: name, server, score, the first line of the description. */
export function renderHits(result: SearchResult, terminal: Terminal): string {
  const { paint } = terminal;
  const lines = result.hits.map((hit, index) => renderHit(hit, index + 1, terminal));
  if (result.verdict === 'none') {
    const text = result.hits.length === 0 ? 'No match.' : 'No match. Nearest tools:';
    lines.unshift(paint.yellow(text));
  }
  return lines.join('\n');
}

/** The parts of a score, as an indented tree. */
function renderExplanation(explanation: Explanation, { width }: Pick<Terminal, 'width'>, indent = 5): string {
  const start = `${' '.repeat(indent)}${explanation.value.toFixed(3)}  `;
  const text = oneLine(explanation.what, MOST_CHARACTERS);
  const line = `${start}${wrap(text, Math.max(start.length + 20, width), { indent: start.length }).trimStart()}`;
  return [line, ...explanation.details.map((detail) => renderExplanation(detail, { width }, indent + 2))].join('\n');
}

function renderHit(hit: Hit, rank: number, { paint, width }: Terminal): string {
  const { tool, score, explanation, also } = hit;
  const server = tool.server === undefined ? '' : paint.dim(`  ${oneLine(tool.server, 40)}`);
  const head = `${String(rank).padStart(3)}  ${paint.bold(oneLine(tool.name, 80))}${server}  ${paint.dim(score.toFixed(2))}`;
  const lines = [head];
  if (tool.description !== '') lines.push(`     ${oneLine(tool.description, width - 5)}`);
  if (also !== undefined && also.length > 0) {
    lines.push(paint.dim(`     also: ${oneLine(also.map((one) => one.id).join(', '), width - 11)}`));
  }
  if (explanation !== undefined) lines.push(paint.dim(renderExplanation(explanation, { width })));
  return lines.join('\n');
}

const MOST_CHARACTERS = 200;

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
