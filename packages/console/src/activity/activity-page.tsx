import type { RequestRecord } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { countActivity, MOST_RECORDS, type Outcome } from '../api/activity.ts';
import { copyLink } from '../shell/copy-text.ts';
import { download } from '../shell/download.ts';
import { NetBar } from '../shell/net-bar.tsx';
import { clockTime, plain, seconds, signed } from '../shell/numbers.ts';
import { ToolName } from '../shell/tool-name.tsx';
import { useShortcuts } from '../shell/use-shortcuts.ts';
import '../styles/activity.css';
import { type ActivityState, DECISIONS, type DetailView, readActivityState } from './activity-state.ts';
import { FoundNothing } from './found-nothing.tsx';
import { Reach } from './reach.tsx';
import { RequestDetail } from './request-detail.tsx';
import { Summary } from './summary.tsx';
import { toolIds } from './tool-ids.ts';
import { useActivity, useLinked } from './use-activity.ts';

const VIEWS: readonly { readonly outcome: Outcome | undefined; readonly name: string }[] = [
  { outcome: undefined, name: 'Requests' },
  { outcome: 'nothing', name: 'Found nothing' },
  { outcome: 'refused', name: 'Refused' },
  { outcome: 'unsearched', name: 'Did not search' },
  { outcome: 'failed', name: 'Failed' },
  { outcome: 'loss', name: 'Net loss' },
];

export function ActivityPage(): ReactNode {
  const { view, q = '', id, key, model, catalog, show } = useSearch({ from: '/activity' });
  const navigate = useNavigate({ from: '/activity' });
  const [isPaused, setPaused] = useState(false);
  const activity = useActivity(view, isPaused);
  const { records, isLive, error, waiting, showWaiting } = activity;
  const linked = useLinked(id, activity);
  const { data: counts } = useQuery({
    queryKey: ['activity', 'counts'],
    queryFn: ({ signal }) => countActivity(signal),
    refetchInterval: isPaused ? false : 5_000,
  });
  const filter = { text: q.trim().toLowerCase(), key, model, catalog };
  const found = records.filter((record) => matches(record, filter));
  const shown = linked.data === undefined ? found : [linked.data, ...found];
  const most = Math.max(...shown.map(({ tokens }) => Math.abs(tokens?.net ?? 0)), 1);
  const set = (change: Partial<Record<keyof ActivityState, string | undefined>>, replace = false): void => {
    void navigate({
      search: (old) => readActivityState({ ...old, ...change }),
      replace,
      resetScroll: false,
    });
  };
  const move =
    (step: number) =>
    (event: KeyboardEvent): void => {
      event.preventDefault();
      const at = shown.findIndex((record) => record.id === id);
      const next = shown[Math.min(shown.length - 1, Math.max(0, at + step))];
      if (next !== undefined) set({ id: next.id }, true);
    };
  useShortcuts({
    j: move(1),
    k: move(-1),
    ArrowDown: move(1),
    ArrowUp: move(-1),
    y: () => void copyLink(),
    Escape: () => set({ id: undefined, show: undefined }),
    ' ': (event) => {
      // A button that has the focus is pressed by this key.
      if (event.target instanceof HTMLButtonElement || event.target instanceof HTMLAnchorElement) return;
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
          {isPaused ? 'paused' : isLive ? '● live' : 'connecting'}
        </button>
        <div className="end">
          <div className="field">
            <input
              data-screen-search
              type="search"
              aria-label="Filter by query, tool or request id"
              placeholder="Query, tool or request id"
              value={q}
              onChange={({ target }) => set({ q: target.value }, true)}
            />
            <kbd>/</kbd>
          </div>
          <button type="button" className="button" disabled={shown.length === 0} onClick={() => save(shown)}>
            <Download size={14} aria-hidden="true" /> Export
          </button>
        </div>
      </div>
      <Summary />
      <nav className="tabs" aria-label={`Views, with counts of the latest ${MOST_RECORDS} requests`}>
        {VIEWS.map(({ outcome, name }) => (
          <button
            key={name}
            type="button"
            aria-current={view === outcome ? 'true' : undefined}
            onClick={() => set({ view: outcome, id: undefined, show: undefined })}
          >
            {name}
            {counts === undefined ? null : <span className="tab-count">{plain(counts[outcome ?? 'requests'])}</span>}
          </button>
        ))}
      </nav>
      <div className="filters">
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
      {error === null ? null : (
        <p className="problem" role="alert">
          {error.message}
        </p>
      )}
      {linked.error === null ? null : (
        <p className="problem" role="alert">
          {linked.error.message}
        </p>
      )}
      {view === 'nothing' ? <FoundNothing /> : null}
      {view === 'unsearched' ? <Reach /> : null}
      {waiting === 0 ? null : (
        <button
          type="button"
          className="new-rows"
          onClick={() => {
            scrollTo({ top: 0 });
            showWaiting();
          }}
        >
          <span role="status">{plain(waiting)} new</span>
        </button>
      )}
      {shown.length === 0 ? (
        <Empty view={view} hasFilter={[key, model, catalog].some((value) => value !== undefined) || q !== ''} />
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
          <ol className="requests">
            {shown.map((record) => (
              <RequestRow
                key={record.id}
                record={record}
                most={most}
                isOpen={record.id === id}
                onToggle={() => set({ id: record.id === id ? undefined : record.id, show: undefined })}
                show={show}
                onShow={(next) => set({ show: next })}
              />
            ))}
          </ol>
        </div>
      )}
    </>
  );
}

/** A choice among the values that are there. */
function Filter(props: {
  readonly name: string;
  readonly value: string | undefined;
  readonly of: readonly (string | undefined)[];
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  const { name, value, onChange } = props;
  const values = [...new Set([value, ...props.of])].filter((each) => each !== undefined && each !== '').sort();
  if (values.length === 0) return null;
  return (
    <select
      className="chip"
      aria-label={name}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    >
      <option value="">{name}: all</option>
      {values.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}

function keyOf({ key, owner }: RequestRecord): string {
  return key ?? owner;
}

function RequestRow(props: {
  readonly record: RequestRecord;
  /** The largest net on the screen, either way. */
  readonly most: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly show: DetailView | undefined;
  readonly onShow: (show: DetailView | undefined) => void;
}): ReactNode {
  const { record, most, isOpen, onToggle, show, onShow } = props;
  const { id, atMs, called, searches, refused, status, model = '', durationMs, tokens, decision } = record;
  const query = searches.flatMap((search) => search.queries ?? [])[0];
  const [first, ...others] = called;
  const idOf = toolIds(record);
  const title =
    query ??
    (first === undefined ? undefined : idOf(first)) ??
    (decision === undefined ? record.route : `${record.route}, ${DECISIONS[decision]}`);
  return (
    <li className={`request${isOpen ? ' open' : ''}`}>
      <div className="request-line">
        <time className="faint" dateTime={new Date(atMs).toISOString()}>
          {clockTime(atMs)}
        </time>
        <div className="request-title">
          <button
            type="button"
            className="unfold"
            aria-expanded={isOpen}
            aria-controls={`detail-${id}`}
            onClick={onToggle}
          >
            {title}
          </button>
          <p className="faint small request-id">
            <span className="mono">{id}</span>
            <span className="phone-only">
              {' '}
              · {clockTime(atMs)}
              {keyOf(record) === '' ? '' : ` · ${keyOf(record)}`}
            </span>
          </p>
        </div>
        <div className="request-called">
          {status >= 400 ? <span className="tag bad">{status}</span> : null}
          {searches.some(({ outcome }) => outcome === 'none') ? <span className="tag wait">no match</span> : null}
          {refused.length > 0 ? <span className="tag bad">refused</span> : null}
          {first === undefined ? null : <ToolName id={idOf(first)} />}
          {others.length === 0 ? null : <span className="faint"> +{others.length}</span>}
        </div>
        <div className="request-model">
          {keyOf(record) === '' ? null : <p>{keyOf(record)}</p>}
          <p className="faint small">{model}</p>
        </div>
        <span className="right dim">{seconds(durationMs)}</span>
        <strong className={`right ${tokens !== undefined && tokens.net < 0 ? 'loss' : ''}`}>
          {tokens === undefined ? <span className="faint">–</span> : signed(tokens.net)}
        </strong>
        {tokens === undefined ? <span className="net-bar" /> : <NetBar net={tokens.net} most={most} />}
      </div>
      {isOpen ? <RequestDetail record={record} show={show} onShow={onShow} /> : null}
    </li>
  );
}

/** What a view without a request means. */
const NONE: Readonly<Record<Outcome, string>> = {
  nothing: 'Every search found something.',
  refused: 'No call was refused.',
  unsearched: 'Every conversation with deferred tools searched for one or called one.',
  failed: 'No request failed.',
  loss: 'No request cost more tokens than it kept out.',
};

function Empty({ view, hasFilter }: { readonly view: Outcome | undefined; readonly hasFilter: boolean }): ReactNode {
  if (hasFilter) return <div className="panel empty">No request matches.</div>;
  if (view !== undefined) return <div className="panel empty">{NONE[view]}</div>;
  return (
    <div className="panel empty">
      <h2>No requests yet</h2>
      <p>Point a client at this gateway:</p>
      <pre>{`ANTHROPIC_BASE_URL=${location.origin} ANTHROPIC_AUTH_TOKEN=none ENABLE_TOOL_SEARCH=true claude`}</pre>
      <p className="faint">
        Requests are shown live and kept in memory. <code>insight: queries</code> in the settings stores them, with the
        texts of their searches.
      </p>
    </div>
  );
}

interface RecordFilter {
  readonly text: string;
  readonly key: string | undefined;
  readonly model: string | undefined;
  readonly catalog: string | undefined;
}

function matches(record: RequestRecord, { text, key, model, catalog }: RecordFilter): boolean {
  if (key !== undefined && keyOf(record) !== key) return false;
  if (model !== undefined && record.model !== model) return false;
  if (catalog !== undefined && record.catalogs?.includes(catalog) !== true) return false;
  if (text === '') return true;
  const texts = [
    record.id,
    record.model ?? '',
    ...record.called,
    ...record.searches.flatMap(({ found, tools, queries = [] }) => [...found, ...tools, ...queries]),
  ];
  return texts.some((each) => each.toLowerCase().includes(text));
}

function save(records: readonly RequestRecord[]): void {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  download('quartermaster-activity.jsonl', 'application/x-ndjson', lines);
}
