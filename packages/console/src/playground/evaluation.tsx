import type { Evaluation } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Drafts, evaluateCatalog } from '../api/search.ts';
import { type Case, type Cases, SAVED } from './cases.ts';

const NO_DRAFTS: Drafts = {};

/** How many labelled requests an engine answers. */
export function useEvaluation(
  catalog: string,
  cases: Cases,
  { drafts = NO_DRAFTS, engine, isWanted = true }: { drafts?: Drafts; engine?: string; isWanted?: boolean } = {},
): Evaluation | undefined {
  const bare = cases.list.map(({ query, tools }) => ({ query, tools }));
  return useQuery({
    queryKey: ['evaluate', catalog, cases.version, drafts, engine],
    queryFn: ({ signal }) =>
      evaluateCatalog(catalog, { cases: bare, drafts, ...(engine === undefined ? {} : { engine }) }, signal),
    enabled: isWanted && bare.length > 0,
    staleTime: Infinity,
  }).data;
}

interface Row {
  readonly name: string;
  readonly within: number;
  /** @default all of them */
  readonly kind?: string;
}

const ROWS: readonly Row[] = [
  { name: 'hit@1', within: 1 },
  { name: 'hit@5', within: 5 },
  { name: 'hit@1, paraphrases', within: 1, kind: 'paraphrase' },
  { name: 'hit@1, saved', within: 1, kind: SAVED },
];

/** How many labelled requests are answered now, and how many would be with the draft. */
export function EvaluationTable(props: {
  readonly catalog: string;
  readonly cases: Cases;
  readonly drafts: Drafts | undefined;
}): ReactNode {
  const { catalog, cases, drafts } = props;
  const now = useEvaluation(catalog, cases);
  const then = useEvaluation(catalog, cases, {
    ...(drafts === undefined ? {} : { drafts }),
    isWanted: drafts !== undefined,
  });
  const { list } = cases;
  if (list.length === 0) {
    return (
      <p className="faint small">
        No evaluation cases yet. Save this search as one to see what a change of words does.
      </p>
    );
  }
  if (now === undefined) return <p className="faint small">Evaluating {list.length} cases…</p>;
  const kinds = new Set(list.map(({ kind }) => kind));
  const rows = ROWS.filter(({ kind }) => kind === undefined || (kinds.size > 1 && kinds.has(kind)));
  return (
    <>
      <table className="evaluation">
        <thead>
          <tr>
            <th>
              {list.length} {list.length === 1 ? 'case' : 'cases'}
            </th>
            <th className="right">now</th>
            {drafts === undefined ? null : (
              <>
                <th className="right">draft</th>
                <th className="right">change</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <td>{row.name}</td>
              <td className="right">{percent(shareOf(now, row, list))}</td>
              {drafts === undefined ? null : (
                <>
                  <td className="right">{then === undefined ? '…' : percent(shareOf(then, row, list))}</td>
                  <td className="right">
                    {then === undefined ? '…' : <Change by={count(then, row, list) - count(now, row, list)} />}
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {drafts === undefined || then === undefined ? null : <Moved from={now} to={then} />}
    </>
  );
}

/** How many of a row's cases are answered. Cases are answered in the order in which they are asked. */
function count({ cases }: Evaluation, { within, kind }: Row, list: readonly Case[]): number {
  return cases.filter(
    ({ rank }, index) => rank !== null && rank <= within && (kind === undefined || list[index]?.kind === kind),
  ).length;
}

function shareOf(evaluation: Evaluation, row: Row, list: readonly Case[]): number {
  const all = list.filter(({ kind }) => row.kind === undefined || kind === row.kind).length;
  return count(evaluation, row, list) / Math.max(1, all);
}

function Change({ by }: { readonly by: number }): ReactNode {
  if (by === 0) return <span className="faint">none</span>;
  const cases = `${Math.abs(by)} ${Math.abs(by) === 1 ? 'case' : 'cases'}`;
  return <span className={by > 0 ? 'gain' : 'loss'}>{`${by > 0 ? '+' : '−'}${cases}`}</span>;
}

/** The requests that a draft wins and loses the first place for: losses first. */
function Moved({ from, to }: { readonly from: Evaluation; readonly to: Evaluation }): ReactNode {
  const won = to.cases.filter(({ rank }, index) => rank === 1 && from.cases[index]?.rank !== 1);
  const lost = to.cases.filter(({ rank }, index) => rank !== 1 && from.cases[index]?.rank === 1);
  const list = (cases: typeof won): string =>
    cases
      .slice(0, 3)
      .map(({ query }) => `“${query}”`)
      .join(', ');
  return (
    <p className="small dim">
      Lost: {lost.length === 0 ? 'none' : list(lost)}. Gained: {won.length === 0 ? 'none' : list(won)}.
    </p>
  );
}

export function percent(share: number): string {
  return (100 * share).toFixed(1);
}
