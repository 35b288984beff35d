import type { Totals } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { plain, signed, signedShort } from '../shell/numbers.ts';
import '../styles/savings.css';
import { KeysPanel } from '../keys/keys-panel.tsx';
import { ConnectClient } from './connect-client.tsx';

/** How many requests it takes until an average says something. */
const SETTLED = 100;

export function SavingsPage(): ReactNode {
  const [secret, setSecret] = useState<string>();
  const { data, error } = useQuery({
    queryKey: ['savings'],
    queryFn: ({ signal }) => gateway.request('GET /v1/savings', { signal }),
    refetchInterval: 5_000,
  });
  if (error !== null) {
    return (
      <p className="problem" role="alert">
        {error.message}
      </p>
    );
  }
  if (data === undefined) return <h1>Savings and keys</h1>;
  const { total, byDay, byModel, byKey, sinceMs } = data;
  return (
    <>
      <div className="screen-head">
        <h1>Savings and keys</h1>
        <span className="faint">
          since {new Date(sinceMs).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', hour12: false })}
        </span>
      </div>
      <dl className="headline">
        <div>
          <dd className={total.net < 0 ? 'loss' : ''}>{signedShort(total.net)}</dd>
          <dt>tokens kept out, net</dt>
        </div>
        <div>
          <dd>{total.requests === 0 ? '–' : signed(total.net / total.requests)}</dd>
          <dt>a request, over {plain(total.requests)} requests</dt>
        </div>
        <div>
          <dd>{signedShort(total.keptOut)}</dd>
          <dt>kept out</dt>
        </div>
        <div>
          <dd>{signedShort(-total.added)}</dd>
          <dt>added by us</dt>
        </div>
      </dl>
      {total.requests < SETTLED ? (
        <p className="faint">
          {plain(total.requests)} {total.requests === 1 ? 'request' : 'requests'} so far. Figures settle after about{' '}
          {SETTLED}.
        </p>
      ) : null}
      {total.net < 0 ? (
        <p className="notice-loss">
          Tool search costs you tokens here. Your catalogs are below the break-even: send them inline with{' '}
          <code>tools.tool_search: off</code>.
        </p>
      ) : null}
      <DayChart days={byDay} />
      <div className="breakdowns">
        <Breakdown title="By model" groups={byModel} />
        <Breakdown title="By key" groups={byKey} />
      </div>
      <KeysPanel savings={byKey} onSecret={setSecret} />
      <ConnectClient secret={secret} />
    </>
  );
}

function DayChart({ days }: { readonly days: Readonly<Record<string, Totals>> }): ReactNode {
  const shown = Object.entries(days)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .slice(-30);
  const most = Math.max(...shown.map(([, { net }]) => net), 0);
  const least = Math.min(...shown.map(([, { net }]) => net), 0);
  const range = Math.max(most - least, 1);
  return (
    <section className="panel chart" aria-labelledby="days-title">
      <h2 id="days-title">
        Net by day <span className="faint small">kept out, minus our tools, notes, answers and extra rounds</span>
      </h2>
      <table className="days">
        <thead className="hidden-text">
          <tr>
            <th>Day</th>
            <th>Net tokens</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(([day, { net, requests }]) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>
                <span className="track" aria-hidden="true">
                  <span
                    className={`fall ${net < 0 ? 'loss' : 'gain'}`}
                    style={{
                      marginLeft: `${(100 * (Math.min(net, 0) - least)) / range}%`,
                      width: `${Math.max(0.3, (100 * Math.abs(net)) / range)}%`,
                    }}
                  />
                </span>
              </td>
              <td className={`right ${net < 0 ? 'loss' : ''}`}>{signed(net)}</td>
              <td className="right faint">{plain(requests)} requests</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 ? <p className="faint">No requests yet.</p> : null}
    </section>
  );
}

function Breakdown({
  title,
  groups,
}: {
  readonly title: string;
  readonly groups: Readonly<Record<string, Totals>>;
}): ReactNode {
  const rows = Object.entries(groups).sort(([, left], [, right]) => right.net - left.net);
  const most = Math.max(...rows.map(([, { net }]) => Math.abs(net)), 1);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul className="breakdown">
        {rows.slice(0, 20).map(([name, { net }]) => (
          <li key={name}>
            <span className="mono">{name === '' ? 'without key' : name}</span>
            <span className="track" aria-hidden="true">
              <span
                className={`fall ${net < 0 ? 'loss' : 'gain'}`}
                style={{ width: `${(100 * Math.abs(net)) / most}%` }}
              />
            </span>
            <strong className={`right ${net < 0 ? 'loss' : ''}`}>{signed(net)}</strong>
          </li>
        ))}
      </ul>
    </section>
  );
}
