import type { Totals } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import type { MadeKey } from '../keys/create-key.tsx';
import { KeysPanel } from '../keys/keys-panel.tsx';
import { Button } from '../shell/button.tsx';
import { catalogName } from '../shell/catalog-name.ts';
import { copyLink } from '../shell/copy-text.ts';
import { timeOf } from '../shell/dates.ts';
import { Dialog } from '../shell/dialog.tsx';
import { download } from '../shell/download.ts';
import { NetBar } from '../shell/net-bar.tsx';
import { money, plain, signed, signedShort } from '../shell/numbers.ts';
import { Problem } from '../shell/problem.tsx';
import { useShortcuts } from '../shell/use-shortcuts.ts';
import '../styles/savings.css';
import { ConnectClient } from './connect-client.tsx';
import { type Day, DayChart } from './day-chart.tsx';
import { Prices } from './prices.tsx';
import { PERIODS, readSavingsState, type SavingsState } from './savings-state.ts';
import { WhereItPays } from './where-it-pays.tsx';

/** How many requests it takes until an average says something. */
const SETTLED = 100;

const DAY_MS = 86_400_000;

export function SavingsPage(): ReactNode {
  const [made, setMade] = useState<MadeKey>();
  const { period: written = '30d', unit, by, client, show } = useSearch({ from: '/savings' });
  const period = Number.parseInt(written, 10);
  const navigate = useNavigate({ from: '/savings' });
  const set = (change: Partial<Record<keyof SavingsState, unknown>>): void => {
    void navigate({ search: (old) => readSavingsState({ ...old, ...change }), resetScroll: false });
  };
  const { data, error } = useQuery({
    queryKey: ['savings', period],
    queryFn: ({ signal }) => gateway.request('GET /v1/savings', { query: { days: period }, signal }),
    refetchInterval: 15_000,
    placeholderData: (old) => old,
  });
  useShortcuts({ y: () => void copyLink() });
  const isLoaded = data !== undefined;
  // A link to a part of the page points to what is there only now.
  useEffect(() => {
    if (isLoaded && location.hash === '#connect') document.getElementById('connect')?.scrollIntoView();
  }, [isLoaded]);
  if (data === undefined) {
    return (
      <>
        <h1>Savings and keys</h1>
        <Problem error={error} what="savings" />
      </>
    );
  }
  const { total, byDay, byModel, byKey, byCatalog, keyNames, unpriced, prices, sinceMs } = data;
  const hasMoney = total.usd !== undefined;
  const isMoney = unit === 'money' && hasMoney;
  /** In money, what has no price has no net. */
  const netOf = ({ net, usd }: Totals): number | undefined => (isMoney ? usd?.net : net);
  const format = isMoney ? money : signedShort;
  const days = daysOf(byDay, period, sinceMs, netOf);
  const costly = days.filter(({ net }) => net < 0).length;
  return (
    <>
      <div className="screen-head">
        <h1>Savings and keys</h1>
        <span className="faint">since {timeOf(sinceMs)}</span>
        <div className="end">
          <div className="segments">
            {PERIODS.map((each) => (
              <button
                key={each}
                type="button"
                aria-current={each === period ? 'true' : undefined}
                onClick={() => set({ period: `${each}d` })}
              >
                {each === 1 ? 'today' : `${each} d`}
              </button>
            ))}
          </div>
          <div className="segments">
            <button type="button" aria-current={isMoney ? undefined : 'true'} onClick={() => set({ unit: undefined })}>
              Tokens
            </button>
            <button
              type="button"
              aria-current={isMoney ? 'true' : undefined}
              disabled={!hasMoney}
              title={hasMoney ? undefined : 'Set prices in quartermaster.yaml to see money'}
              onClick={() => set({ unit: 'money' })}
            >
              Money
            </button>
          </div>
          <Button
            onClick={() =>
              download('quartermaster-savings.json', 'application/json', [JSON.stringify(data, undefined, 2)])
            }
          >
            <Download size={14} aria-hidden="true" /> Export
          </Button>
        </div>
      </div>
      <dl className="headline">
        <div>
          <dd className={total.net < 0 ? 'loss' : ''}>{signedShort(total.net)}</dd>
          <dt>tokens kept out, net, {period === 1 ? 'today' : `in ${period} days`}</dt>
        </div>
        {total.usd === undefined ? null : (
          <div>
            <dd className={total.usd.net < 0 ? 'loss' : ''}>
              {money(total.usd.netCached)} to {money(total.usd.net)}
            </dd>
            <dt>
              with and without prompt caching;{' '}
              <button type="button" className="link" onClick={() => set({ show: 'prices' })}>
                prices
              </button>
            </dt>
          </div>
        )}
        <div>
          <dd className={total.net < 0 ? 'loss' : ''}>
            {total.requests === 0 ? '–' : signed(total.net / total.requests)}
          </dd>
          <dt>a request, over {plain(total.requests)} requests</dt>
        </div>
        <div>
          <dd>
            {costly} of {days.length} {days.length === 1 ? 'day' : 'days'}
          </dd>
          <dt>cost more than they kept out</dt>
        </div>
      </dl>
      <Dialog
        title="Prices"
        isOpen={show === 'prices'}
        onClose={() => {
          if (show === 'prices') set({ show: undefined });
        }}
      >
        <Prices prices={prices} unpriced={unpriced} />
      </Dialog>
      {total.requests > 0 && total.requests < SETTLED ? (
        <p className="faint">
          {plain(total.requests)} {total.requests === 1 ? 'request' : 'requests'} so far. Figures settle after about{' '}
          {SETTLED}.
        </p>
      ) : null}
      {total.net < 0 ? (
        <p className="notice-loss">
          <TriangleAlert size={15} aria-hidden="true" />
          <span>
            Tool search costs you tokens here. Your catalogs are below the break-even. Send inline:{' '}
            <code>tools.tool_search: off</code> in the settings.
          </span>
        </p>
      ) : null}
      {isMoney && unpriced.length > 0 ? (
        <p className="faint">No price in the settings for {unpriced.slice(0, 5).join(', ')}: not counted in money.</p>
      ) : null}
      {total.requests === 0 ? (
        <div className="panel empty">
          <p>
            No requests in this period. <a href="#connect">Connect a client</a>, or let the mock model make one: search
            in the{' '}
            <Link to="/playground" search={{}}>
              playground
            </Link>{' '}
            and choose “Run it…”.
          </p>
        </div>
      ) : (
        <>
          <div className="panel charts">
            <DayChart days={days} format={format} />
            <WhereItPays catalogs={byCatalog} breakEven={total.breakEven} />
          </div>
          <div className="breakdowns">
            <Breakdown
              {...{
                title: 'By key',
                filter: 'key',
                groups: byKey,
                nameOf: (id: string) => keyNames[id] ?? id,
                netOf,
                format,
              }}
              {...{ unnamed: 'without key', isWhole: by === 'key', onWhole: () => set({ by: 'key' }) }}
            />
            <Breakdown
              {...{ title: 'By model', filter: 'model', groups: byModel, netOf, format, unnamed: 'no model' }}
              {...{ isWhole: by === 'model', onWhole: () => set({ by: 'model' }) }}
            />
            <Breakdown
              {...{ title: 'By catalog', filter: 'catalog', groups: byCatalog, nameOf: catalogName, netOf, format }}
              {...{ unnamed: 'tools of the request', isWhole: by === 'catalog', onWhole: () => set({ by: 'catalog' }) }}
            />
          </div>
        </>
      )}
      <BelowBreakEven catalogs={byCatalog} />
      <KeysPanel savings={byKey} period={period} onMade={setMade} />
      <ConnectClient made={made} chosen={client} onChoose={(name) => set({ client: name })} />
    </>
  );
}

/** Every day of the period since counting began: a day without requests is a day, too. */
function daysOf(
  byDay: Readonly<Record<string, Totals>>,
  period: number,
  sinceMs: number,
  netOf: (totals: Totals) => number | undefined,
): readonly Day[] {
  const today = Math.floor(Date.now() / DAY_MS);
  const first = Math.min(today, Math.max(today - period + 1, Math.floor(sinceMs / DAY_MS)));
  return Array.from({ length: today - first + 1 }, (_, index) => {
    const day = new Date((first + index) * DAY_MS).toISOString().slice(0, 10);
    const totals = byDay[day];
    return totals === undefined
      ? { day, net: 0, requests: 0 }
      : { day, net: netOf(totals) ?? 0, requests: totals.requests };
  });
}

function Breakdown(props: {
  readonly title: string;
  /** What the list of requests is filtered by, to show those behind a figure. */
  readonly filter: 'key' | 'model' | 'catalog';
  readonly groups: Readonly<Record<string, Totals>>;
  /** What people call them. */
  readonly nameOf?: (id: string) => string;
  readonly netOf: (totals: Totals) => number | undefined;
  readonly format: (value: number) => string;
  readonly unnamed: string;
  /** Whether every row is shown. */
  readonly isWhole: boolean;
  readonly onWhole: () => void;
}): ReactNode {
  const { isWhole, onWhole } = props;
  const { title, filter, groups, nameOf = (id: string) => id, netOf, format, unnamed } = props;
  const rows = Object.entries(groups)
    // Without deferred tools there was nothing to keep out.
    .filter(([, { deferred }]) => deferred > 0)
    .map(([name, totals]) => ({
      id: name,
      name: name === '' ? unnamed : nameOf(name),
      net: netOf(totals),
      totals,
    }))
    .sort((left, right) => (right.net ?? -Infinity) - (left.net ?? -Infinity));
  const most = Math.max(...rows.map(({ net = 0 }) => Math.abs(net)), Number.EPSILON);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {rows.length === 0 ? <p className="faint breakdown-empty">No tools were deferred in this period.</p> : null}
      <ul className="breakdown">
        {rows.slice(0, isWhole ? rows.length : MOST_ROWS).map(({ id, name, net, totals }) => (
          <li key={id} title={`${plain(totals.requests)} requests`}>
            {id === '' ? (
              <span className="mono">{name}</span>
            ) : (
              <Link to="/activity" search={{ [filter]: filter === 'key' ? name : id }} className="mono">
                {name}
              </Link>
            )}
            <NetBar net={net ?? 0} most={most} />
            <Amount value={net} format={format} />
          </li>
        ))}
      </ul>
      {rows.length > MOST_ROWS && !isWhole ? (
        <button type="button" className="link small" onClick={onWhole}>
          All {plain(rows.length)}
        </button>
      ) : null}
    </section>
  );
}

function Amount({ value, format }: { readonly value: number | undefined; readonly format: (value: number) => string }) {
  if (value === undefined) {
    return (
      <strong className="right faint">
        –<span className="hidden-text">no price</span>
      </strong>
    );
  }
  return <strong className={`right ${value < 0 ? 'loss' : ''}`}>{format(value)}</strong>;
}

const MOST_ROWS = 8;

function BelowBreakEven({ catalogs }: { readonly catalogs: Readonly<Record<string, Totals>> }): ReactNode {
  const losing = Object.entries(catalogs).filter(([name, { net }]) => net < 0 && name !== '');
  return losing.slice(0, 3).map(([name, { net, keptOut, deferred }]) => (
    <p key={name} className="notice-loss">
      <TriangleAlert size={15} aria-hidden="true" />
      <span>
        <strong>{catalogName(name)}</strong> is below break-even: {plain(keptOut / Math.max(1, deferred))} tokens a
        request. Sending it inline would have kept out {plain(-net)} tokens more.{' '}
        <Link to="/servers" search={{ catalog: name }}>
          Set “hold back” to never
        </Link>
      </span>
    </p>
  ));
}
