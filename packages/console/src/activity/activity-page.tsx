import type { RequestRecord } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Download, Search } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { MOST_RECORDS, type Outcome } from '../api/activity.ts';
import { gateway } from '../api/gateway.ts';
import { Button } from '../shell/button.tsx';
import { CopyButton } from '../shell/copy-button.tsx';
import { copyLink } from '../shell/copy-text.ts';
import { timeOf } from '../shell/dates.ts';
import { download } from '../shell/download.ts';
import { plain } from '../shell/numbers.ts';
import { Problem } from '../shell/problem.tsx';
import { rowShortcuts } from '../shell/row-shortcuts.ts';
import { SelectBox } from '../shell/select-box.tsx';
import { useShortcuts } from '../shell/use-shortcuts.ts';
import '../styles/activity.css';
import { type ActivityState, keyOf, readActivityState } from './activity-state.ts';
import { FoundNothing } from './found-nothing.tsx';
import { Reach } from './reach.tsx';
import { RequestList } from './request-list.tsx';
import { RequestRow } from './request-row.tsx';
import { RunningList } from './running-list.tsx';
import { Summary } from './summary.tsx';
import { useActivity, useLinked } from './use-activity.ts';
import { pollingMs } from './use-figures.ts';

const VIEWS: readonly { readonly outcome: Outcome | undefined; readonly name: string }[] = [
  { outcome: undefined, name: 'Requests' },
  { outcome: 'nothing', name: 'Found nothing' },
  { outcome: 'refused', name: 'Refused' },
  { outcome: 'unsearched', name: 'Did not search' },
  { outcome: 'failed', name: 'Failed' },
  { outcome: 'loss', name: 'Net loss' },
];

export function ActivityPage(): ReactNode {
  const { view, q = '', key, model, catalog, from, to, show } = useSearch({ from: '/activity' });
  const { id } = useParams({ strict: false });
  const navigate = useNavigate();
  const [isPaused, setPaused] = useState(false);
  const activity = useActivity(view, to === undefined ? undefined : Date.parse(to), isPaused);
  const { records, running, isLive, error, keep, waiting, showWaiting } = activity;
  const linked = useLinked(id, activity);
  const { data: { counts } = {} } = useQuery({
    queryKey: ['activity', 'counts'],
    queryFn: ({ signal }) => gateway.request('GET /v1/activity', { query: { limit: 1, counts: 'true' }, signal }),
    refetchInterval: isPaused ? false : pollingMs(isLive),
  });
  const tabs = useTabInView(view, counts);
  const fromMs = from === undefined ? undefined : Date.parse(from);
  const filter = { text: q.trim().toLowerCase(), key, model, catalog, fromMs };
  const found = records.filter((record) => matches(record, filter));
  const isApart = linked.data !== undefined && found.every((record) => record.id !== linked.data.id);
  const inProgress = running.data.filter((one) => matches({ ...one, called: [], searches: [] }, filter));
  const shown = isApart ? [linked.data, ...found] : found;
  const most = Math.max(...shown.map(({ tokens }) => Math.abs(tokens?.net ?? 0)), 1);
  const set = (change: Partial<Record<keyof ActivityState | 'id', string | undefined>>, replace = false): void => {
    const { id: next, ...rest } = 'id' in change ? change : { id, ...change };
    const options = { replace, resetScroll: false };
    const search = (old: object): ActivityState => readActivityState({ ...old, ...rest });
    if (next === undefined) void navigate({ to: '/activity', search, ...options });
    else void navigate({ to: '/activity/$id', params: { id: next }, search, ...options });
  };
  useShortcuts({
    ...rowShortcuts(() => set({ id: undefined, show: undefined })),
    y: () => void copyLink(),
    ' ': (event) => {
      // A button that has the focus is pressed by this key; a row has Enter for that.
      const isRow = event.target instanceof HTMLElement && event.target.dataset.rowButton !== undefined;
      const isPressed = event.target instanceof HTMLButtonElement || event.target instanceof HTMLAnchorElement;
      if (isPressed && !isRow) return;
      event.preventDefault();
      setPaused((old) => !old);
    },
  });
  return (
    <>
      <div className="screen-head">
        <h1>Activity</h1>
        <button
          type="button"
          className={`tag ${isLive ? 'ok' : ''}`}
          aria-pressed={!isPaused}
          onClick={() => setPaused(!isPaused)}
        >
          {isLive && !isPaused ? <i className="dot live" aria-hidden="true" /> : null}
          {isPaused ? 'paused' : isLive ? 'live' : error === null ? 'connecting' : 'not live'}
        </button>
        <div className="end">
          <div className="field">
            <Search size={14} aria-hidden="true" />
            <input
              data-screen-search
              type="search"
              dir="auto"
              aria-label="Filter by query, tool or request id"
              placeholder="Query, tool or request id"
              value={q}
              onChange={({ target }) => set({ q: target.value }, true)}
            />
            <kbd>/</kbd>
          </div>
          <Button disabled={shown.length === 0} onClick={() => save(shown)}>
            <Download size={14} aria-hidden="true" /> Export
          </Button>
        </div>
      </div>
      <Summary isLive={isLive} />
      <nav className="tabs" ref={tabs} aria-label={`Views, with counts of the latest ${MOST_RECORDS} requests`}>
        {VIEWS.map(({ outcome, name }) => (
          <button
            key={name}
            type="button"
            aria-current={view === outcome ? 'true' : undefined}
            onClick={() => set({ view: outcome, id: undefined, show: undefined })}
          >
            {name}{' '}
            {counts === undefined ? null : <span className="tab-count">{plain(counts[outcome ?? 'requests'])}</span>}
          </button>
        ))}
      </nav>
      {view === 'nothing' ? <FoundNothing /> : null}
      {view === 'unsearched' ? <Reach /> : null}
      <div className="filters">
        <SelectBox
          look="chip"
          label="Time"
          value={spanOf(fromMs)}
          choices={SPANS.map(({ value, name }) => ({ value, name }))}
          onChange={(value) => set({ from: startOf(value) })}
        />
        {to === undefined ? null : (
          <button type="button" className="chip" onClick={() => set({ to: undefined })}>
            before {timeOf(to)} ×
          </button>
        )}
        <Filter name="Key" value={key} of={records.map(keyOf)} onChange={(value) => set({ key: value })} />
        <Filter
          name="Model"
          value={model}
          of={records.map((record) => record.model)}
          onChange={(value) => set({ model: value })}
        />
        <Filter
          name="Catalog"
          value={catalog}
          of={records.flatMap(({ catalogs = [] }) => catalogs)}
          onChange={(value) => set({ catalog: value })}
        />
      </div>
      <Problem error={error} what="activity" />
      <Problem error={linked.error} what="this request" />
      {keep === 'off' || keep === 'counts' ? (
        <p className="faint small not-stored">
          Requests are {keep === 'counts' ? 'counted, and ' : ''}shown live but not stored.{' '}
          <code>insight: queries</code> in the settings stores them.
        </p>
      ) : null}
      {/* Beside the button, whose contents are no region of their own, and there before it has something to say. */}
      <p className="hidden-text" role="status">
        {waiting === 0 ? '' : `${plain(waiting)} new`}
      </p>
      {waiting === 0 ? null : (
        <button
          type="button"
          className="new-rows"
          onClick={() => {
            scrollTo({ top: 0 });
            showWaiting();
          }}
        >
          {plain(waiting)} new
        </button>
      )}
      {shown.length + inProgress.length === 0 ? (
        error === null ? (
          <Empty
            view={view}
            hasFilter={[key, model, catalog, from, to].some((value) => value !== undefined) || q !== ''}
          />
        ) : null
      ) : (
        <div className="panel">
          <div className="request-line request-head" aria-hidden="true">
            <span>Time</span>
            <span>Request</span>
            <span>Called</span>
            <span>Key, model</span>
            <span className="right">Took</span>
            <span className="right">Net tokens</span>
            <span />
          </div>
          <RunningList running={inProgress} total={running.total} aheadMs={running.aheadMs} />
          <RequestList records={shown} linked={id}>
            {(record) => (
              <RequestRow
                record={record}
                most={most}
                isOpen={record.id === id}
                onToggle={() => set({ id: record.id === id ? undefined : record.id, show: undefined })}
                show={show}
                onShow={(next) => set({ show: next })}
              />
            )}
          </RequestList>
        </div>
      )}
    </>
  );
}

/** On phones the tabs scroll sideways: the chosen one is in view, wherever a link has pointed. Counts make tabs wider. */
function useTabInView(view: string | undefined, counts: unknown): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: both move the tabs
  useEffect(() => {
    const tab = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (tab == null || row.current === null) return;
    const left = tab.offsetLeft - row.current.offsetLeft;
    const { scrollLeft, clientWidth } = row.current;
    if (left < scrollLeft) row.current.scrollLeft = left;
    else if (left + tab.offsetWidth > scrollLeft + clientWidth)
      row.current.scrollLeft = left + tab.offsetWidth - clientWidth;
  }, [view, counts]);
  return row;
}

/** How far back the list goes. */
const SPANS: readonly { readonly value: string; readonly name: string; readonly hours: number }[] = [
  { value: '', name: 'all', hours: Number.POSITIVE_INFINITY },
  { value: '1', name: 'last hour', hours: 1 },
  { value: '24', name: 'last 24 h', hours: 24 },
  { value: '168', name: 'last 7 days', hours: 168 },
];

const HOUR_MS = 3_600_000;

function startOf(hours: string): string | undefined {
  return hours === '' ? undefined : new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
}

/** The choice that a link's time comes next to. */
function spanOf(fromMs: number | undefined): string {
  if (fromMs === undefined) return '';
  const ago = (Date.now() - fromMs) / HOUR_MS;
  return SPANS.slice(1).find(({ hours }) => ago <= hours * 1.5)?.value ?? '168';
}

/** A choice among the values that are there. */
function Filter(props: {
  readonly name: string;
  readonly value: string | undefined;
  readonly of: readonly (string | undefined)[];
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  const { name, value, onChange } = props;
  const values = [...new Set([value, ...props.of])].flatMap((each) =>
    each === undefined || each === '' ? [] : [each],
  );
  if (values.length === 0) return null;
  return (
    <SelectBox
      look="chip"
      label={name}
      value={value ?? ''}
      choices={[{ value: '', name: 'all' }, ...values.sort().map((each) => ({ value: each, name: each }))]}
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  );
}

/** What a view without a request means. */
const NONE: Readonly<Record<Outcome, string>> = {
  nothing: 'Every search found something.',
  refused: 'No call was refused.',
  unsearched: 'In the latest requests, every conversation with deferred tools searched for one or called one.',
  failed: 'No request failed.',
  loss: 'No request cost more tokens than it kept out.',
};

function Empty({ view, hasFilter }: { readonly view: Outcome | undefined; readonly hasFilter: boolean }): ReactNode {
  if (hasFilter) return <div className="panel empty">No request matches.</div>;
  if (view !== undefined) return <div className="panel empty">{NONE[view]}</div>;
  return (
    <div className="panel empty">
      <p>No requests yet. Point a client at this gateway:</p>
      <div className="one-line">
        <pre>{SETUP}</pre>
        <CopyButton text={SETUP} />
      </div>
      <p>
        Or let the mock model make one: search in the{' '}
        <Link to="/playground" search={{}}>
          playground
        </Link>{' '}
        and choose “Run it…”.
      </p>
    </div>
  );
}

const SETUP = `ANTHROPIC_BASE_URL=${location.origin} ANTHROPIC_AUTH_TOKEN=none ENABLE_TOOL_SEARCH=true claude`;

interface RecordFilter {
  readonly text: string;
  readonly key: string | undefined;
  readonly model: string | undefined;
  readonly catalog: string | undefined;
  readonly fromMs: number | undefined;
}

type Filtered = Pick<RequestRecord, 'id' | 'atMs' | 'owner' | 'key' | 'model' | 'catalogs' | 'called' | 'searches'> & {
  readonly query?: string;
};

function matches(record: Filtered, { text, key, model, catalog, fromMs }: RecordFilter): boolean {
  if (fromMs !== undefined && record.atMs < fromMs) return false;
  if (key !== undefined && keyOf(record) !== key) return false;
  if (model !== undefined && record.model !== model) return false;
  if (catalog !== undefined && record.catalogs?.includes(catalog) !== true) return false;
  if (text === '') return true;
  const texts = [
    record.id,
    record.model ?? '',
    record.query ?? '',
    ...record.called,
    ...record.searches.flatMap(({ found, tools, queries = [] }) => [...found, ...tools, ...queries]),
  ];
  return texts.some((each) => each.toLowerCase().includes(text));
}

function save(records: readonly RequestRecord[]): void {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  download('quartermaster-activity.jsonl', 'application/x-ndjson', lines);
}
