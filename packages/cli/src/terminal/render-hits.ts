import type { SearchResult } from '@quartermaster/core';
import type { Explanation, Hit } from '@quartermaster/core/search';
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
export function renderExplanation(explanation: Explanation, { width }: Pick<Terminal, 'width'>, indent = 5): string {
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
