import type { SearchAnswer } from '@quartermaster/client';
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { CSSProperties, ReactNode } from 'react';
import { Button } from '../shell/button.tsx';
import { ToolParts } from '../shell/tool-name.tsx';
import type { Cases } from './cases.ts';
import { percent, useEvaluation } from './evaluation.tsx';
import { MarkedText } from './mark-words.tsx';
import { type ResultRow, resultRows } from './result-rows.ts';
import { comparableParts, type ScorePart, STEPS, scoreParts, showScore, stepLabels, stepOf } from './score-parts.ts';

/** What engines are called in the table. */
export const ENGINE_NAMES: Readonly<Record<string, string>> = {
  hybrid: 'Hybrid',
  'hybrid+reranker': 'Hybrid + reranker',
  bm25: 'BM25',
  semantic: 'Semantic',
  regex: 'Regex',
};

interface TableProps {
  readonly catalog: string;
  readonly cases: Cases;
  readonly answer: SearchAnswer;
  readonly query: string;
  readonly limit: number;
  readonly engines: readonly string[];
  readonly selected: string | undefined;
  readonly onSelect: (tool: string | undefined) => void;
  /** On phones the selected tool is not next to the table. */
  readonly onInspect: () => void;
  readonly sort: string | undefined;
  readonly onSort: (engine: string | undefined) => void;
}

/** Engines are columns: the eye compares ranks along a row. */
export function ResultTable(props: TableProps): ReactNode {
  const { answer, query, limit, engines, selected, onSelect, onInspect, sort, onSort } = props;
  const { found, below } = resultRows(answer, limit, sort);
  const compared = [...found, ...below].map(({ hit }) => comparableParts(scoreParts(hit?.explanation)));
  const most = Math.max(...compared.map(({ sum }) => sum), 0);
  const labels = stepLabels(compared.map(({ parts }) => parts));
  const isMatch = answer.results[0]?.verdict === 'match';
  const row = (each: ResultRow, isBelow: boolean): ReactNode => (
    <Row
      key={each.tool}
      row={each}
      query={query}
      most={most}
      labels={labels}
      engines={engines}
      isBelow={isBelow}
      isOpen={selected === each.tool}
      onToggle={() => onSelect(selected === each.tool ? undefined : each.tool)}
      onInspect={onInspect}
    />
  );
  return (
    <div
      className={`panel results${engines.length === 0 ? ' alone' : ''}`}
      style={{ '--engines': engines.length } as CSSProperties}
    >
      <div className="results-head">
        <span />
        <span>
          Tool <span className="faint block">matched words are marked</span>
        </span>
        <EngineHead
          {...props}
          engine={answer.engine}
          isOwn
          isSorted={sort === undefined}
          onSort={() => onSort(undefined)}
        />
        {engines.map((engine) => (
          <EngineHead
            key={engine}
            {...props}
            engine={engine}
            isSorted={sort === engine}
            onSort={() => onSort(engine)}
          />
        ))}
      </div>
      {found.length + below.length > 0 ? null : (
        <p className="results-none">
          No engine knows these words. Write what the tool should do, as a user or a model would ask for it.
        </p>
      )}
      {isMatch || found.length + below.length === 0 ? null : (
        <p className="divider">The model gets none of these. They are the nearest, and the best of other engines.</p>
      )}
      {found.length === 0 ? null : <ul>{found.map((each) => row(each, !isMatch))}</ul>}
      {isMatch && below.length > 0 ? (
        <p className="divider">
          The model gets the {found.length} {found.length === 1 ? 'tool' : 'tools'} above. Below: nearest misses, and
          the best of other engines.
        </p>
      ) : null}
      {below.length === 0 ? null : <ul>{below.map((each) => row(each, true))}</ul>}
      <Legend labels={labels} />
    </div>
  );
}

/** An engine's name, and how many of the labelled requests it answers. A click sorts the rows by it. */
function EngineHead(
  props: Pick<TableProps, 'catalog' | 'cases'> & {
    readonly engine: string;
    readonly isOwn?: boolean;
    readonly isSorted: boolean;
    readonly onSort: () => void;
  },
): ReactNode {
  const { catalog, cases, engine, isOwn = false, isSorted, onSort } = props;
  const { evaluation, error, isRunning, run } = useEvaluation(catalog, cases, isOwn ? {} : { engine });
  const name = ENGINE_NAMES[engine] ?? engine;
  return (
    <span className={isOwn ? '' : 'right'}>
      <button type="button" className="sort" aria-pressed={isSorted} onClick={onSort} title="Sort the rows by it">
        {name}
      </button>
      {evaluation === undefined ? (
        cases.list.length === 0 ? null : (
          <button
            type="button"
            className="sort faint block measure"
            disabled={isRunning}
            title={error?.message ?? `Runs ${cases.list.length} searches, which count against the limit of the key`}
            onClick={run}
          >
            {isRunning ? 'Measuring…' : error !== null ? 'Measure again' : isOwn ? 'default, measure hit@5' : 'hit@5?'}
            <span className="hidden-text">
              {isOwn || isRunning ? '' : ' Measure hit@5'} of {name}
            </span>
          </button>
        )
      ) : (
        <span
          className="faint block"
          title={`Of ${evaluation.cases.length} labelled requests, answered in the first 5`}
        >
          {isOwn ? 'default, hit@5 ' : <span className="hidden-text">hit@5 </span>}
          {percent(evaluation.hit_at['5'])}
        </span>
      )}
    </span>
  );
}

/** What the steps of the bars stand for. */
function Legend({ labels }: { readonly labels: readonly string[] }): ReactNode {
  if (labels.length < 2) return null;
  const named = labels.length > STEPS ? [...labels.slice(0, STEPS - 1), 'other parts'] : labels;
  return (
    <p className="legend small faint results-foot">
      {named.map((label, index) => (
        <span key={label}>
          <i className={`swatch q${index + 1}`} /> {label.toLowerCase()}
        </span>
      ))}
    </p>
  );
}

interface RowProps {
  readonly row: ResultRow;
  readonly query: string;
  readonly most: number;
  /** What the steps of the bars stand for. */
  readonly labels: readonly string[];
  readonly engines: readonly string[];
  readonly isBelow: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onInspect: () => void;
}

function Row({ row, query, most, labels, engines, isBelow, isOpen, onToggle, onInspect }: RowProps): ReactNode {
  const { tool, server, name, description, hit, rank, others } = row;
  const parts = scoreParts(hit?.explanation);
  const { parts: comparable, isNamed } = comparableParts(parts);
  const detailId = `parts-${encodeURIComponent(tool)}`;
  return (
    <li className={`result${isOpen ? ' open' : ''}${isBelow ? ' below' : ''}`} data-row={tool}>
      <span className={`rank${rank === 1 ? ' first' : ''}`}>{rank ?? '–'}</span>
      <div className="result-name">
        <button
          type="button"
          className="unfold"
          data-row-button=""
          aria-expanded={isOpen}
          aria-controls={detailId}
          onClick={onToggle}
        >
          {isOpen ? <ChevronDown size={14} aria-hidden="true" /> : <ChevronRight size={14} aria-hidden="true" />}
          <ToolParts server={server}>
            <MarkedText text={name} query={query} isName />
          </ToolParts>
        </button>
        <p className="description" dir="auto">
          <MarkedText text={firstLine(description)} query={query} />
        </p>
      </div>
      <div className="result-score">
        {hit === undefined ? (
          <span className="faint small">ranked lower here</span>
        ) : (
          <>
            <strong title={isNamed ? 'The query names this tool' : undefined}>{showScore(hit.score)}</strong>
            <ScoreBar parts={comparable} labels={labels} most={most} />
          </>
        )}
      </div>
      <span className="others">
        {engines.map((engine) => {
          const other = others.get(engine);
          return (
            <span key={engine} className="other">
              <span className="hidden-text">{ENGINE_NAMES[engine] ?? engine}: </span>
              {other === undefined ? (
                <span className="rank small">50+</span>
              ) : (
                <>
                  <span className="score">{showScore(other.score)}</span>
                  <span className={`rank small${other.rank === 1 ? ' first' : other.rank <= 5 ? ' near' : ''}`}>
                    {other.rank}
                  </span>
                </>
              )}
            </span>
          );
        })}
      </span>
      {isOpen && hit !== undefined ? (
        <dl className="parts" id={detailId}>
          {parts.map((part) => (
            <div key={part.label}>
              <dt>
                <strong>{part.label}</strong> <span className="faint">{part.note}</span>
              </dt>
              <dd className="product">{part.product}</dd>
              <dd aria-hidden="true">
                {comparable.includes(part) ? (
                  <span
                    className={`bar q${stepOf(labels, part)}`}
                    style={{ width: `${(100 * Math.max(0, part.value)) / Math.max(most, 0.001)}%` }}
                  />
                ) : null}
              </dd>
              <dd className="right">{part.value.toFixed(comparable.includes(part) ? 3 : 0)}</dd>
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
      {isOpen ? (
        <Button look="phone-button" onClick={onInspect}>
          Signature, run, draft, why not…
        </Button>
      ) : null}
    </li>
  );
}

/** Parts of one score in one hue, in the same order and to the same scale in all rows. */
function ScoreBar(props: {
  readonly parts: readonly ScorePart[];
  readonly labels: readonly string[];
  readonly most: number;
}): ReactNode {
  const { parts, labels, most } = props;
  const ordered = parts.toSorted((left, right) => stepOf(labels, left) - stepOf(labels, right));
  return (
    <span className="score-bar" aria-hidden="true">
      {ordered.map((part) => (
        <span
          key={part.label}
          className={`bar q${stepOf(labels, part)}`}
          style={{ width: `${(100 * Math.max(0, part.value)) / Math.max(most, 0.001)}%` }}
        />
      ))}
    </span>
  );
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
