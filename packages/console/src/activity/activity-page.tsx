import type { RequestRecord } from '@quartermaster/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Outcome } from '../api/activity.ts';
import { download } from '../shell/download.ts';
import { clockTime, plain, seconds, signed } from '../shell/numbers.ts';
import { useShortcuts } from '../shell/use-shortcuts.ts';
import '../styles/activity.css';
import { type ActivityState, DECISIONS, readActivityState } from './activity-state.ts';
import { FoundNothing } from './found-nothing.tsx';
import { Reach } from './reach.tsx';
import { RequestDetail } from './request-detail.tsx';
import { useActivity } from './use-activity.ts';

const VIEWS: readonly { readonly outcome: Outcome | undefined; readonly name: string }[] = [
  { outcome: undefined, name: 'Requests' },
  { outcome: 'nothing', name: 'Found nothing' },
  { outcome: 'refused', name: 'Refused' },
  { outcome: 'unsearched', name: 'Did not search' },
  { outcome: 'failed', name: 'Failed' },
  { outcome: 'loss', name: 'Net below 0' },
];

export function ActivityPage(): ReactNode {
  const { view, q = '', id, key, model, catalog } = useSearch({ from: '/activity' });
  const navigate = useNavigate({ from: '/activity' });
  const [isPaused, setPaused] = useState(false);
  const { records, isLive, error } = useActivity(view, isPaused);
  const filter = { text: q.trim().toLowerCase(), key, model, catalog };
  const shown = records.filter((record) => matches(record, filter)).slice(0, MOST_ROWS);
  const most = Math.max(...shown.map(({ tokens }) => Math.abs(tokens?.net ?? 0)), 1);
  const set = (change: Partial<Record<keyof ActivityState, string | undefined>>, replace = false): void => {
    void navigate({
      search: (old) => readActivityState({ ...old, ...change }),
      replace,
      resetScroll: false,
    });
  };
  const move = (step: number) => (): void => {
    const at = shown.findIndex((record) => record.id === id);
    const next = shown[Math.min(shown.length - 1, Math.max(0, at + step))];
    if (next !== undefined) set({ id: next.id }, true);
  };
  useShortcuts({
    j: move(1),
    k: move(-1),
    ' ': (event) => {
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
      <Summary records={records} />
      <nav className="tabs" aria-label="Views">
        {VIEWS.map(({ outcome, name }) => (
          <button
            key={name}
            type="button"
            aria-current={view === outcome ? 'true' : undefined}
            onClick={() => set({ view: outcome, id: undefined })}
          >
            {name}
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
      {view === 'nothing' ? <FoundNothing records={shown} /> : null}
      {view === 'unsearched' ? <Reach /> : null}
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
                onToggle={() => set({ id: record.id === id ? undefined : record.id })}
              />
            ))}
          </ol>
        </div>
      )}
    </>
  );
}

const MOST_ROWS = 500;

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

function Summary({ records }: { readonly records: readonly RequestRecord[] }): ReactNode {
  const searches = records.flatMap((record) => record.searches);
  const loaded = records.flatMap(({ loaded: tools, called }) => tools.map(({ tool }) => called.includes(tool)));
  const nothing = searches.filter(({ outcome }) => outcome === 'none').length;
  const net = records.reduce((sum, { tokens }) => sum + (tokens?.net ?? 0), 0);
  return (
    <p className="summary">
      <span>
        <strong>{plain(records.length)}</strong> requests
      </span>
      <span>
        <strong>{plain(searches.length)}</strong> searches
      </span>
      {searches.length === 0 ? null : (
        <span>
          <strong>{((100 * nothing) / searches.length).toFixed(1)}%</strong> found nothing
        </span>
      )}
      {loaded.length === 0 ? null : (
        <span>
          <strong>{((100 * loaded.filter(Boolean).length) / loaded.length).toFixed(0)}%</strong> of loaded tools were
          called
        </span>
      )}
      <span>
        net <strong className={net < 0 ? 'loss' : ''}>{signed(net)}</strong> tokens
      </span>
      <span className="faint">of the latest 500</span>
    </p>
  );
}

function RequestRow(props: {
  readonly record: RequestRecord;
  /** The largest net on the screen, either way. */
  readonly most: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}): ReactNode {
  const { record, most, isOpen, onToggle } = props;
  const { id, atMs, called, searches, refused, status, model = '', durationMs, tokens, decision } = record;
  const query = searches.flatMap((search) => search.queries ?? [])[0];
  const [first, ...others] = called;
  const title = query ?? first ?? (decision === undefined ? record.route : `${record.route}, ${DECISIONS[decision]}`);
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
          <p className="faint small mono">{id}</p>
        </div>
        <div className="request-called">
          {status >= 400 ? <span className="tag bad">{status}</span> : null}
          {searches.some(({ outcome }) => outcome === 'none') ? <span className="tag wait">no match</span> : null}
          {refused.length > 0 ? <span className="tag bad">refused</span> : null}
          {first === undefined ? null : <span className="tool">{first}</span>}
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
        <span className="net-bar" aria-hidden="true">
          {tokens === undefined ? null : (
            <span
              className={`fall ${tokens.net < 0 ? 'loss' : 'gain'}`}
              style={{ width: `${(100 * Math.abs(tokens.net)) / most}%` }}
            />
          )}
        </span>
      </div>
      {isOpen ? <RequestDetail record={record} /> : null}
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
    ...record.searches.flatMap(({ found, queries = [] }) => [...found, ...queries]),
  ];
  return texts.some((each) => each.toLowerCase().includes(text));
}

function save(records: readonly RequestRecord[]): void {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  download('quartermaster-activity.jsonl', 'application/x-ndjson', lines);
}
