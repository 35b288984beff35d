import type { RequestRecord, SearchRecord, TokenAccount } from '@quartermaster/client';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { plain, seconds, signed } from '../shell/numbers.ts';
import { DECISIONS } from './activity-state.ts';
import { WireView } from './wire-view.tsx';

/** One request whole: decision, queries, what was found, loaded and called, and what it cost. */
export function RequestDetail({ record }: { readonly record: RequestRecord }): ReactNode {
  const [shown, setShown] = useState<'model' | 'wire' | 'record'>();
  const { id, decision, reason, form, searches, loaded, called, refused, rounds, tokens } = record;
  const query = searches.flatMap((search) => search.queries ?? [])[0];
  return (
    <div className="request-detail" id={`detail-${id}`}>
      <ol className="steps">
        {decision === undefined ? null : (
          <li>
            <h3>Decision</h3>
            <p>
              Tools were <strong>{DECISIONS[decision]}</strong>
              {form === undefined ? '' : ` (${form})`}: {reason}
            </p>
          </li>
        )}
        {searches.map((search, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the searches of an answered request never change
          <SearchStep key={index} search={search} called={called} />
        ))}
        <li>
          <h3>
            Loaded{' '}
            <span className="faint">
              {loaded.length} {loaded.length === 1 ? 'tool' : 'tools'},{' '}
              {plain(loaded.reduce((sum, { tokens: cost }) => sum + cost, 0))} tokens
            </span>
          </h3>
          {loaded.length === 0 ? null : <p className="mono small">{loaded.map(({ tool }) => tool).join(', ')}</p>}
        </li>
        <li>
          <h3>
            Called <span className="faint">{rounds} rounds</span>
          </h3>
          <p className="mono small">{called.length === 0 ? 'nothing' : called.join(', ')}</p>
          {refused.map(({ tool, reason: why }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the refusals of an answered request never change
            <p key={index} className="loss small">
              Refused{tool === undefined ? '' : ` ${tool}`}: {why}
            </p>
          ))}
        </li>
        {tokens === undefined ? null : (
          <li>
            <h3>Net</h3>
            <p className={tokens.net < 0 ? 'loss' : 'gain'}>
              <strong>{signed(tokens.net)} tokens</strong>,{' '}
              {((100 * tokens.net) / Math.max(1, tokens.definitions)).toFixed(1)}% of what inline definitions would have
              cost
            </p>
          </li>
        )}
      </ol>
      <div className="stack">
        {tokens === undefined ? (
          <p className="faint">No tool was held back in this request, so there is nothing to weigh.</p>
        ) : (
          <Waterfall tokens={tokens} />
        )}
        <div className="actions">
          {query === undefined ? null : (
            <Link to="/playground" search={{ q: query }} className="button">
              Open in playground
            </Link>
          )}
          {(record.rounds > 0 ? VIEWS : VIEWS.slice(-1)).map(([view, name]) => (
            <button
              key={view}
              type="button"
              className="button ghost"
              aria-expanded={shown === view}
              onClick={() => setShown(shown === view ? undefined : view)}
            >
              {name}
            </button>
          ))}
        </div>
        {shown === 'record' ? <pre className="raw">{JSON.stringify(record, undefined, 2)}</pre> : null}
        {shown === 'model' || shown === 'wire' ? <WireView id={id} show={shown} /> : null}
      </div>
    </div>
  );
}

const VIEWS = [
  ['model', 'What the model saw'],
  ['wire', 'Raw wire'],
  ['record', 'Record'],
] as const;

function SearchStep({
  search,
  called,
}: {
  readonly search: SearchRecord;
  readonly called: readonly string[];
}): ReactNode {
  const { queries, queryCount, outcome, engine, reranker, confidence, found, scores, tookMs } = search;
  const most = Math.max(...scores, 0.001);
  return (
    <li>
      <h3>
        Search{' '}
        <span className="faint">
          {[
            outcome === 'none' ? 'no match' : outcome,
            confidence === undefined ? undefined : `confidence ${confidence.toFixed(2)}`,
            engine,
            reranker === undefined ? undefined : `reranker ${reranker}`,
            seconds(tookMs),
          ]
            .filter((part) => part !== undefined)
            .join(', ')}
        </span>
      </h3>
      {queries === undefined ? (
        <p className="faint">
          {queryCount} {queryCount === 1 ? 'query' : 'queries'}, text not recorded
        </p>
      ) : (
        <p>{queries.map((query) => `“${query}”`).join(', ')}</p>
      )}
      <ol className="found">
        {found.map((name, index) => (
          <li key={name}>
            <span className="faint">{index + 1}</span>
            <span className="tool">
              {name} {called.includes(name) ? <span className="tag ok">called</span> : null}
            </span>
            <span className="found-bar" aria-hidden="true">
              <span className="bar q1" style={{ width: `${(100 * (scores[index] ?? 0)) / most}%` }} />
            </span>
            <span className="right">{scores[index]?.toFixed(2)}</span>
          </li>
        ))}
      </ol>
    </li>
  );
}

/** True to scale first, so that our own cost is as small as it is; then that cost by itself, and by how much it is enlarged. */
function Waterfall({ tokens }: { readonly tokens: TokenAccount }): ReactNode {
  const { definitions, keptOut, added, net } = tokens;
  const whole = Math.max(definitions, definitions - keptOut + added, 1);
  // Definitions that were sent all the same: pinned tools, and those that the request did not defer.
  const sent = Math.max(0, definitions - keptOut) / whole;
  const parts: readonly (readonly [string, number])[] = [
    ['Our tools and note', tokens.ownTools],
    ['Loaded earlier', tokens.carried],
    ['Search answers', tokens.answers],
    ['Repeated rounds', tokens.repeated],
  ];
  const factor = whole / Math.max(added, 1);
  let start = 0;
  return (
    <section aria-label="Tokens of this request">
      <h3>Tokens for this request, against everything inline</h3>
      <dl className="waterfall">
        <Bar label="All tools inline" value={plain(definitions)} from={0} to={definitions / whole} kind="all" />
        <Bar label="Kept out" value={signed(keptOut)} from={sent} to={sent + keptOut / whole} kind="gain" />
        <Bar label="Added by us" value={signed(-added)} from={sent} to={sent + added / whole} kind="loss" />
        <Bar
          label="Net"
          value={signed(net)}
          from={sent + Math.min(added, keptOut) / whole}
          to={sent + Math.max(added, keptOut) / whole}
          kind={net < 0 ? 'loss' : 'gain'}
          isTotal
        />
      </dl>
      <p className="faint small">
        What we added{factor > 1.5 ? `, ${factor.toFixed(factor < 10 ? 1 : 0)} times larger` : ''}
      </p>
      <dl className="waterfall">
        {parts.map(([label, value]) => {
          const from = start;
          start += value;
          return (
            <Bar
              key={label}
              label={label}
              value={signed(-value)}
              from={from / Math.max(added, 1)}
              to={start / Math.max(added, 1)}
              kind="loss"
            />
          );
        })}
        <Bar label="Added by us" value={signed(-added)} from={0} to={1} kind="loss" isTotal />
      </dl>
      <p className="small">
        <strong>Break-even: {plain(tokens.breakEven)} tokens of definitions.</strong>{' '}
        <span className="dim">
          A request like this one loses tokens with a smaller catalog. This one has {plain(definitions)}.
        </span>
      </p>
    </section>
  );
}

function Bar(props: {
  readonly label: string;
  readonly value: string;
  readonly from: number;
  readonly to: number;
  readonly kind: 'all' | 'gain' | 'loss';
  readonly isTotal?: boolean;
}): ReactNode {
  const { label, value, from, to, kind, isTotal = false } = props;
  return (
    <div className={isTotal ? 'total' : ''}>
      <dt>{label}</dt>
      <dd aria-hidden="true">
        <span
          className={`fall ${kind}`}
          style={{ marginLeft: `${100 * from}%`, width: to === from ? 0 : `${Math.max(0.4, 100 * (to - from))}%` }}
        />
      </dd>
      <dd className={`right ${kind === 'all' ? '' : kind}`}>{value}</dd>
    </div>
  );
}
