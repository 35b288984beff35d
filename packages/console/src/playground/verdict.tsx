import { ApiFailure, type SearchAnswer } from '@quartermaster/client';
import { Link } from '@tanstack/react-router';
import { Check, CircleHelp, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { LabelButtons } from '../shell/label-dialog.tsx';
import { Problem } from '../shell/problem.tsx';
import { ENGINE_NAMES } from './result-table.tsx';

/** A match below it is one that the engine is not sure of. */
const LOW_CONFIDENCE = 0.5;

/** How often a screen reader is told, at most: results change with every key. */
const ANNOUNCE_MS = 1_000;

interface VerdictProps {
  readonly answer: SearchAnswer | undefined;
  readonly limit: number;
  readonly error: Error | null;
  readonly catalog: string | undefined;
  readonly query: string;
  /** The engine that the gateway is set to. */
  readonly engine: string;
}

export function Verdict(props: VerdictProps): ReactNode {
  const { answer, limit, error, catalog, query, engine } = props;
  if (error instanceof ApiFailure) {
    return (
      <div className="verdict">
        <PatternProblem message={error.message} query={query} />
        {isPatternProblem(error) ? null : <Problem error={error} what="this catalog" />}
      </div>
    );
  }
  if (answer === undefined) return <p className="verdict" />;
  const [result] = answer.results;
  const isMatch = result?.verdict === 'match';
  const loaded = isMatch ? (result?.hits ?? []).slice(0, limit).reduce((sum, { tokens }) => sum + tokens, 0) : 0;
  const { tool_count: toolCount, tokens } = answer.catalog;
  return (
    <div className="verdict">
      <Tag isMatch={isMatch} confidence={result?.confidence} />
      {isMatch ? <Figure before="confidence" value={result?.confidence?.toFixed(2)} /> : <Nearest answer={answer} />}
      <Figure before={isMatch ? 'found in' : 'searched in'} value={`${answer.took_ms.toFixed(1)} ms`} />
      {isMatch || catalog === undefined ? null : (
        <span className="verdict-actions">
          <LabelButtons
            key={`${catalog} ${query}`}
            query={query}
            catalog={catalog}
            tools={(result?.hits ?? []).map(({ tool }) => tool)}
          />
        </span>
      )}
      {isMatch ? (
        <span>
          <strong>{loaded.toLocaleString('en')}</strong> tokens loaded
          {tokens === undefined ? null : (
            <>
              {' '}
              instead of <strong>{tokens.toLocaleString('en')}</strong>
            </>
          )}
        </span>
      ) : null}
      {answer.engine === engine || answer.engine === 'regex' ? null : (
        <span className="tag wait">
          {ENGINE_NAMES[engine] ?? engine} unavailable; {ENGINE_NAMES[answer.engine] ?? answer.engine} answered
        </span>
      )}
      {result?.unresolved === undefined ? null : (
        <span className="loss">read as plain words: {result.unresolved.join(', ')}</span>
      )}
      <span className="end faint">
        {catalog === 'sample' ? 'Sample catalog: ' : ''}
        {toolCount === undefined ? '' : `${toolCount.toLocaleString('en')} tools`}
        {catalog === 'sample' ? (
          <>
            , no key needed.{' '}
            <Link to="/servers" search={{ add: true }}>
              Add your own
            </Link>
          </>
        ) : null}
      </span>
    </div>
  );
}

function Figure({ before, value }: { readonly before: string; readonly value: string | undefined }): ReactNode {
  if (value === undefined) return null;
  return (
    <span>
      {before} <strong>{value}</strong>
    </span>
  );
}

/** Announced to screen readers, at most once a second; the list below is not. */
function Tag({
  isMatch,
  confidence,
}: {
  readonly isMatch: boolean;
  readonly confidence: number | undefined;
}): ReactNode {
  const isLow = isMatch && confidence !== undefined && confidence < LOW_CONFIDENCE;
  const word = isLow ? 'Low confidence' : isMatch ? 'Match' : 'No match';
  const [Icon, look] = isLow ? [CircleHelp, 'wait'] : isMatch ? [Check, 'ok'] : [X, 'wait'];
  const [told, setTold] = useState(word);
  useEffect(() => {
    const timer = setTimeout(() => setTold(word), ANNOUNCE_MS);
    return () => clearTimeout(timer);
  }, [word]);
  return (
    <>
      <span className={`tag ${look} big`} aria-hidden="true">
        <Icon size={14} /> {word}
      </span>
      <span className="hidden-text" aria-live="polite">
        {told}
      </span>
    </>
  );
}

function Nearest({ answer }: { readonly answer: SearchAnswer }): ReactNode {
  const [result] = answer.results;
  const nearest = result?.hits[0];
  return (
    <span>
      No tool fits.{' '}
      {nearest === undefined ? null : (
        <>
          The nearest is <strong className="mono">{nearest.tool}</strong>
          {result?.confidence === undefined ? '' : `, confidence ${result.confidence.toFixed(2)}`}.
        </>
      )}
    </span>
  );
}

/** Where the gateway's regex engine says that a pattern is wrong. */
const POSITION = /^(.*) at position (\d+)$/;

/** Whether what was typed is not a pattern, or not yet. */
export function isPatternProblem(error: Error | null): boolean {
  return error instanceof ApiFailure && POSITION.test(error.message);
}

/** What is wrong with a pattern, with a caret below the character. */
function PatternProblem({ message, query }: { readonly message: string; readonly query: string }): ReactNode {
  const [, what, position] = POSITION.exec(message) ?? [];
  if (what === undefined || position === undefined) return null;
  const words = what.includes('unterminated subpattern')
    ? 'Unclosed group'
    : what.charAt(0).toUpperCase() + what.slice(1);
  return (
    <div className="pattern-problem">
      <pre aria-hidden="true">
        {query}
        {'\n'}
        {' '.repeat(Number(position))}^
      </pre>
      <p className="problem" role="alert">
        {words} at character {Number(position) + 1}.
      </p>
    </div>
  );
}
