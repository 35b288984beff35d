import type { SearchAnswer } from '@quartermaster/client';
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { CSSProperties, ReactNode } from 'react';
import { MarkedText } from './mark-words.tsx';
import { type ResultRow, resultRows } from './result-rows.ts';
import { scoreParts } from './score-parts.ts';

/** What engines are called in the table. */
export const ENGINE_NAMES: Readonly<Record<string, string>> = {
  hybrid: 'Hybrid',
  'hybrid+reranker': 'Hybrid + reranker',
  bm25: 'BM25',
  semantic: 'Semantic',
  regex: 'Regex',
};

interface TableProps {
  readonly answer: SearchAnswer;
  readonly query: string;
  readonly limit: number;
  readonly engines: readonly string[];
  readonly selected: string | undefined;
  readonly onSelect: (tool: string | undefined) => void;
}

/** Engines are columns: the eye compares ranks along a row. */
export function ResultTable({ answer, query, limit, engines, selected, onSelect }: TableProps): ReactNode {
  const { found, below } = resultRows(answer, limit);
  const most = Math.max(...[...found, ...below].map(({ hit }) => hit?.score ?? 0), 0);
  const isMatch = answer.results[0]?.verdict === 'match';
  const row = (each: ResultRow, isBelow: boolean): ReactNode => (
    <Row
      key={each.tool}
      row={each}
      query={query}
      most={most}
      engines={engines}
      isBelow={isBelow}
      isOpen={selected === each.tool}
      onToggle={() => onSelect(selected === each.tool ? undefined : each.tool)}
    />
  );
  return (
    <div className="panel results" style={{ '--engines': engines.length } as CSSProperties}>
      <div className="results-head" aria-hidden="true">
        <span />
        <span>
          Tool <span className="faint">· matched words are marked</span>
        </span>
        <span>{ENGINE_NAMES[answer.engine] ?? answer.engine}</span>
        {engines.map((engine) => (
          <span key={engine} className="right">
            {ENGINE_NAMES[engine] ?? engine}
          </span>
        ))}
      </div>
      <ul>{found.map((each) => row(each, !isMatch))}</ul>
      {below.length === 0 ? null : (
        <>
          <p className="divider">
            {isMatch
              ? `The model gets the ${found.length} ${found.length === 1 ? 'tool' : 'tools'} above. Below: nearest misses, and the best of other engines.`
              : 'Nothing fits, so the model gets none of these.'}
          </p>
          <ul>{below.map((each) => row(each, true))}</ul>
        </>
      )}
    </div>
  );
}

interface RowProps {
  readonly row: ResultRow;
  readonly query: string;
  readonly most: number;
  readonly engines: readonly string[];
  readonly isBelow: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Row({ row, query, most, engines, isBelow, isOpen, onToggle }: RowProps): ReactNode {
  const { tool, server, name, description, hit, rank, others } = row;
  const parts = scoreParts(hit?.explanation);
  const detailId = `parts-${tool}`;
  return (
    <li className={`result${isOpen ? ' open' : ''}${isBelow ? ' below' : ''}`} data-row={tool}>
      <span className={`rank${rank === 1 ? ' first' : ''}`}>{rank ?? '–'}</span>
      <div className="result-name">
        <button type="button" className="unfold" aria-expanded={isOpen} aria-controls={detailId} onClick={onToggle}>
          {isOpen ? <ChevronDown size={14} aria-hidden="true" /> : <ChevronRight size={14} aria-hidden="true" />}
          <span className="tool">
            {server === undefined ? null : <span className="server">{server}/</span>}
            <MarkedText text={name} query={query} />
          </span>
        </button>
        <p className="description">
          <MarkedText text={firstLine(description)} query={query} />
        </p>
      </div>
      <div className="result-score">
        {hit === undefined ? (
          <span className="faint small">ranked lower here</span>
        ) : (
          <>
            <strong>{hit.score.toFixed(2)}</strong>
            <ScoreBar parts={parts.map(({ value }) => value)} most={most} />
          </>
        )}
      </div>
      {engines.map((engine) => {
        const other = others.get(engine);
        return (
          <span key={engine} className="other">
            <span className="hidden-text">{ENGINE_NAMES[engine] ?? engine}: </span>
            {other === undefined ? (
              <span className="rank small">50+</span>
            ) : (
              <>
                <span className="score">{other.score.toFixed(2)}</span>
                <span className={`rank small${other.rank === 1 ? ' first' : other.rank <= 5 ? ' near' : ''}`}>
                  {other.rank}
                </span>
              </>
            )}
          </span>
        );
      })}
      {isOpen && hit !== undefined ? (
        <dl className="parts" id={detailId}>
          {parts.map(({ label, product, value }, index) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="product">{product}</dd>
              <dd aria-hidden="true">
                <span
                  className={`bar q${Math.min(index + 1, 4)}`}
                  style={{ width: `${(100 * Math.max(0, value)) / Math.max(most, 0.001)}%` }}
                />
              </dd>
              <dd className="right">{value.toFixed(3)}</dd>
            </div>
          ))}
          <div className="total">
            <dt>Score</dt>
            <dd />
            <dd />
            <dd className="right">{hit.score.toFixed(3)}</dd>
          </div>
        </dl>
      ) : null}
    </li>
  );
}

/** Parts of one score in one hue, to the same scale in all rows. */
function ScoreBar({ parts, most }: { readonly parts: readonly number[]; readonly most: number }): ReactNode {
  return (
    <span className="score-bar" aria-hidden="true">
      {parts.map((value, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts are ordered by size and have no other identity
          key={index}
          className={`bar q${Math.min(index + 1, 4)}`}
          style={{ width: `${(100 * Math.max(0, value)) / Math.max(most, 0.001)}%` }}
        />
      ))}
    </span>
  );
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
