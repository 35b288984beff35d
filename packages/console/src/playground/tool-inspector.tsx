import type { Evaluation, SearchHit as Hit } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { evaluateCatalog } from '../api/search.ts';
import type { Case } from './cases.ts';
import { Signature } from './signature.tsx';

interface InspectorProps {
  readonly catalog: string;
  readonly hit: Hit;
  readonly query: string;
  readonly cases: readonly Case[];
  readonly onSaveCase: (tool: string) => void;
  /** The description as it is stored, before any draft. */
  readonly stored: string;
  readonly draft: string | undefined;
  readonly onDraft: (text: string | undefined) => void;
}

/** The selected tool: its signature, and what a better description would change. */
export function ToolInspector(props: InspectorProps): ReactNode {
  const { catalog, hit, cases, onSaveCase, stored, draft, onDraft } = props;
  const isSaved = cases.some(({ query, tools }) => query === props.query && tools.includes(hit.tool));
  return (
    <section className="inspector-part stack" aria-label={`Tool ${hit.tool}`}>
      <h2 className="tool">
        {hit.server === undefined ? null : <span className="server">{hit.server}/</span>}
        {hit.name}
      </h2>
      <p className="chips">
        <span className="tag">{hit.tokens} tokens</span>
        <span className="tag mono">{hit.model_name}</span>
        {hit.also === undefined ? null : <span className="tag">also {hit.also.join(', ')}</span>}
      </p>
      <Signature name={hit.name} schema={hit.input_schema} />
      <label htmlFor="draft" className="inspector-title">
        Description {draft === undefined ? null : <span className="tag wait">draft, only in this tab</span>}
      </label>
      <textarea
        id="draft"
        className="draft"
        rows={Math.min(8, Math.max(3, Math.ceil(stored.length / 44)))}
        value={draft ?? stored}
        maxLength={8_000}
        onChange={({ target }) => onDraft(target.value === stored ? undefined : target.value)}
      />
      <EvaluationTable
        catalog={catalog}
        cases={cases}
        draft={draft === undefined ? undefined : { [hit.tool]: draft }}
      />
      <div className="actions">
        <button type="button" className="button primary" disabled={isSaved} onClick={() => onSaveCase(hit.tool)}>
          {isSaved ? 'Saved as a case' : 'Save search as case'}
        </button>
        {draft === undefined ? null : (
          <>
            <button type="button" className="button" onClick={() => void copyPatch(hit, draft)}>
              Copy new description
            </button>
            <button type="button" className="button ghost" onClick={() => onDraft(undefined)}>
              Discard
            </button>
          </>
        )}
      </div>
    </section>
  );
}

function copyPatch({ tool }: Hit, description: string): Promise<void> {
  return navigator.clipboard.writeText(JSON.stringify({ tool, description }, undefined, 2));
}

/** How many labelled requests are answered now, and how many would be with the draft. */
function EvaluationTable(props: {
  readonly catalog: string;
  readonly cases: readonly Case[];
  readonly draft: Readonly<Record<string, string>> | undefined;
}): ReactNode {
  const { catalog, cases, draft } = props;
  const now = useEvaluation(catalog, cases, {});
  const then = useEvaluation(catalog, cases, draft ?? {});
  if (cases.length === 0) {
    return (
      <p className="faint small">
        No evaluation cases yet. Save this search as one to see what a change of words does.
      </p>
    );
  }
  if (now === undefined) return <p className="faint small">Evaluating {cases.length} cases…</p>;
  const shown = draft === undefined ? undefined : then;
  return (
    <>
      <table className="evaluation">
        <thead>
          <tr>
            <th>{cases.length} cases</th>
            <th className="right">now</th>
            {draft === undefined ? null : (
              <>
                <th className="right">draft</th>
                <th className="right">change</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {(['1', '5'] as const).map((k) => (
            <tr key={k}>
              <td>hit@{k}</td>
              <td className="right">{percent(now.hit_at[k])}</td>
              {draft === undefined ? null : (
                <>
                  <td className="right">{shown === undefined ? '…' : percent(shown.hit_at[k])}</td>
                  <td className="right">
                    {shown === undefined ? '…' : <Change from={now} to={shown} within={Number(k)} />}
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {shown === undefined ? null : <Moved from={now} to={shown} />}
    </>
  );
}

function useEvaluation(
  catalog: string,
  cases: readonly Case[],
  drafts: Readonly<Record<string, string>>,
): Evaluation | undefined {
  const bare = cases.slice(-MAX_CASES).map(({ query, tools }) => ({ query, tools }));
  return useQuery({
    queryKey: ['evaluate', catalog, bare.length, bare.at(-1)?.query, drafts],
    queryFn: ({ signal }) => evaluateCatalog(catalog, { cases: bare, drafts }, signal),
    enabled: bare.length > 0,
    staleTime: Infinity,
  }).data;
}

/** What the gateway takes in one request. */
const MAX_CASES = 1_000;

function Change({
  from,
  to,
  within,
}: {
  readonly from: Evaluation;
  readonly to: Evaluation;
  readonly within: number;
}): ReactNode {
  const difference = countWithin(to, within) - countWithin(from, within);
  if (difference === 0) return <span className="faint">none</span>;
  const cases = `${Math.abs(difference)} ${Math.abs(difference) === 1 ? 'case' : 'cases'}`;
  return <span className={difference > 0 ? 'gain' : 'loss'}>{`${difference > 0 ? '+' : '−'}${cases}`}</span>;
}

function countWithin({ cases }: Evaluation, within: number): number {
  return cases.filter(({ rank }) => rank !== null && rank <= within).length;
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

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
