import type { RequestRecord, SearchHit } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { searchCatalog } from '../api/search.ts';
import { saveCase } from '../playground/cases.ts';
import { Dialog } from '../shell/dialog.tsx';
import { plain } from '../shell/numbers.ts';

/** How many different queries are shown, the most frequent first. */
const MOST_QUERIES = 20;

interface Missed {
  readonly query: string;
  readonly catalog: string | undefined;
  readonly times: number;
}

/** Searches that found nothing, each a missing tool or a missing word, with what to do about it. */
export function FoundNothing({ records }: { readonly records: readonly RequestRecord[] }): ReactNode {
  const missed = groupMissed(records);
  if (records.length === 0) return null;
  if (missed.length === 0) {
    return (
      <p className="faint queue-note">
        Query texts are not recorded. With <code>insight: queries</code> in the settings, the queries that found nothing
        are listed here with the nearest tools.
      </p>
    );
  }
  const times = missed.reduce((sum, each) => sum + each.times, 0);
  return (
    <section className="queue" aria-labelledby="queue-title">
      <h2 id="queue-title">
        Found nothing{' '}
        <span className="faint small">
          {plain(times)} {times === 1 ? 'search' : 'searches'}, {plain(missed.length)} different. Each is a missing tool
          or a missing word.
        </span>
      </h2>
      <ul className="panel">
        {missed.slice(0, MOST_QUERIES).map((each) => (
          <MissedRow key={`${each.catalog} ${each.query}`} {...each} />
        ))}
      </ul>
      {missed.length > MOST_QUERIES ? (
        <p className="faint small">and {plain(missed.length - MOST_QUERIES)} more, in the export</p>
      ) : null}
    </section>
  );
}

function groupMissed(records: readonly RequestRecord[]): readonly Missed[] {
  const groups = new Map<string, Missed>();
  for (const { searches, catalogs } of records) {
    const catalog = catalogs?.[0];
    for (const { outcome, queries = [] } of searches) {
      if (outcome !== 'none') continue;
      for (const query of queries) {
        const key = `${catalog ?? ''}\n${query}`;
        groups.set(key, { query, catalog, times: (groups.get(key)?.times ?? 0) + 1 });
      }
    }
  }
  return [...groups.values()].sort((left, right) => right.times - left.times);
}

function MissedRow({ query, catalog, times }: Missed): ReactNode {
  const { data } = useQuery({
    queryKey: ['nearest', catalog, query],
    queryFn: ({ signal }) => searchCatalog(catalog ?? '', { query, limit: 3, compare: [], drafts: {} }, signal),
    enabled: catalog !== undefined,
    staleTime: 60_000,
  });
  const [result] = data?.results ?? [];
  const hits = result?.hits ?? [];
  return (
    <li className="queue-row">
      <strong>{query}</strong>
      <span className="right dim">{plain(times)}×</span>
      <span className="queue-tools">
        {catalog === undefined ? <span className="faint">tools of the request, not in a catalog</span> : null}
        {result !== undefined && hits.length === 0 ? <span className="faint">no tool is near</span> : null}
        {hits.slice(0, 3).map(({ tool }) => (
          <span key={tool} className="tool">
            {tool}
          </span>
        ))}
      </span>
      <span className="right dim">{result?.confidence === undefined ? '' : result.confidence.toFixed(2)}</span>
      <span className="actions">
        {catalog === undefined ? null : <Mend query={query} catalog={catalog} hits={hits} />}
      </span>
    </li>
  );
}

/** A case says which tool is right; a hint makes it found. Both need a person to choose the tool. */
function Mend(props: {
  readonly query: string;
  readonly catalog: string;
  readonly hits: readonly SearchHit[];
}): ReactNode {
  const { query, catalog, hits } = props;
  const [purpose, setPurpose] = useState<'case' | 'hint'>();
  const [chosen, setChosen] = useState<string>();
  const tool = chosen ?? hits[0]?.tool ?? '';
  const [isSaved, setSaved] = useState(false);
  return (
    <>
      <button type="button" className="button ghost" onClick={() => setPurpose('hint')}>
        Add hint…
      </button>
      <button type="button" className="button" disabled={isSaved} onClick={() => setPurpose('case')}>
        {isSaved ? 'Saved as a case' : 'Make a case…'}
      </button>
      <Dialog
        title={purpose === 'hint' ? 'Add a hint' : 'Make a case'}
        isOpen={purpose !== undefined}
        onClose={() => setPurpose(undefined)}
      >
        <p>“{query}” should find</p>
        <div className="field">
          <input
            aria-label="Tool"
            list="nearest-tools"
            autoComplete="off"
            spellCheck={false}
            value={tool}
            onChange={({ target }) => setChosen(target.value)}
          />
        </div>
        <datalist id="nearest-tools">
          {hits.map((hit) => (
            <option key={hit.tool} value={hit.tool} />
          ))}
        </datalist>
        {purpose === 'hint' ? (
          <>
            <p className="small dim">
              Put this into the definition of {tool} in the catalog “{catalog}”. Only the index holds it; no model sees
              it.
            </p>
            <pre className="raw">{`"searchHint": ${JSON.stringify(query)}`}</pre>
          </>
        ) : (
          <p className="small dim">The case is kept in this browser, and measured in the playground.</p>
        )}
        <div className="actions">
          {purpose === 'hint' ? (
            <Link className="button" to="/playground" search={{ q: query, catalog, tool }}>
              Try a description in the playground
            </Link>
          ) : (
            <button
              type="button"
              className="button primary"
              disabled={tool === ''}
              onClick={() => {
                saveCase(catalog, { query, tools: [tool] });
                setSaved(true);
                setPurpose(undefined);
              }}
            >
              Save case
            </button>
          )}
          <button type="button" className="button ghost" onClick={() => setPurpose(undefined)}>
            Close
          </button>
        </div>
      </Dialog>
    </>
  );
}
