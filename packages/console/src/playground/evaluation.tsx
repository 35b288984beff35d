import type { Evaluation } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { type EngineName, gateway, hasKey } from '../api/gateway.ts';
import { Button } from '../shell/button.tsx';
import { Failure } from '../shell/problem.tsx';
import { type Case, type Cases, SAVED } from './cases.ts';

/** Descriptions that are tried, by tool. */
type Drafts = Readonly<Record<string, string>>;

const NO_DRAFTS: Drafts = {};

interface Measurement {
  readonly evaluation: Evaluation | undefined;
  readonly error: Error | null;
  readonly isRunning: boolean;
  readonly run: () => void;
}

/** How many labelled requests an engine answers. Each of them counts as a search, so it runs only when it is asked to. */
export function useEvaluation(
  catalog: string,
  cases: Cases,
  { drafts = NO_DRAFTS, engine }: { drafts?: Drafts; engine?: string } = {},
): Measurement {
  const bare = cases.list.map(({ query, tools }) => ({ query, tools }));
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['evaluate', catalog, cases.version, drafts, engine],
    queryFn: ({ signal }) =>
      gateway.request('POST /v1/catalogs/{name}/evaluate', {
        path: { name: catalog },
        body: { cases: bare, drafts, ...(engine === undefined ? {} : { engine: engine as EngineName }) },
        signal,
      }),
    enabled: false,
    retry: false,
  });
  return { evaluation: data, error, isRunning: isFetching, run: () => void refetch() };
}

/** How long a pause in writing has to be. */
const PAUSE_MS = 400;

/**
 * Once the cases have been run, their figures follow the draft. With a key they don't: each case counts against its limit, so a person
 * decides.
 */
function useFollowing(drafts: Drafts | undefined, { isRunning, error, run }: Measurement, isWanted: boolean): void {
  const version = JSON.stringify(drafts);
  const isDue = isWanted && drafts !== undefined && !isRunning && error === null && !hasKey();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another draft begins the pause again
  useEffect(() => {
    if (!isDue) return undefined;
    const timer = setTimeout(run, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isDue, version]);
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
  const stored = useEvaluation(catalog, cases);
  const drafted = useEvaluation(catalog, cases, drafts === undefined ? {} : { drafts });
  const [now, then] = [stored.evaluation, drafted.evaluation];
  const { list, isLoaded } = cases;
  useFollowing(drafts, drafted, now !== undefined && then === undefined);
  if (!isLoaded) return <p className="faint small">…</p>;
  if (list.length === 0) {
    return (
      <p className="faint small">
        No evaluation cases yet. Save this search as one to see what a change of words does.
      </p>
    );
  }
  const isRunning = stored.isRunning || drafted.isRunning;
  const begin = (): void => {
    if (now === undefined) stored.run();
    if (drafts !== undefined) drafted.run();
  };
  const run = (
    <>
      <Failure look="small" error={stored.error ?? drafted.error} />
      <div className="actions">
        <Button disabled={isRunning} onClick={begin}>
          {isRunning ? 'Running the cases…' : 'Run the cases'}
        </Button>
      </div>
    </>
  );
  const size = `${list.length} ${list.length === 1 ? 'case' : 'cases'}`;
  if (now === undefined) {
    return (
      <>
        <p className="faint small">{size}</p>
        {run}
      </>
    );
  }
  const kinds = new Set(list.map(({ kind }) => kind));
  const rows = ROWS.filter(({ kind }) => kind === undefined || (kinds.size > 1 && kinds.has(kind)));
  return (
    <>
      <table className="evaluation">
        <thead>
          <tr>
            <th>{size}</th>
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
      {then === undefined ? run : drafts === undefined ? null : <Moved from={now} to={then} />}
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
  const word = lost.length === 0 ? (won.length === 0 ? 'no change' : 'better') : won.length === 0 ? 'worse' : 'mixed';
  return (
    <p className="small dim">
      <span className={`tag${word === 'better' ? ' ok' : word === 'no change' ? '' : ' wait'}`}>{word}</span> Lost:{' '}
      {lost.length === 0 ? 'none' : list(lost)}. Gained: {won.length === 0 ? 'none' : list(won)}.
    </p>
  );
}

export function percent(share: number): string {
  return (100 * share).toFixed(1);
}
