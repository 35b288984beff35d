import type { UnansweredSearch } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { gateway } from '../api/gateway.ts';
import { catalogName } from '../shell/catalog-name.ts';
import { LabelButtons } from '../shell/label-dialog.tsx';
import { plain } from '../shell/numbers.ts';
import { ToolName } from '../shell/tool-name.tsx';

/** Searches that found nothing, each a missing tool or a missing word, with what to do about it. */
export function FoundNothing(): ReactNode {
  const { data } = useQuery({
    queryKey: ['unanswered'],
    queryFn: ({ signal }) => gateway.request('GET /v1/searches/unanswered', { query: { limit: 50 }, signal }),
    refetchInterval: 15_000,
  });
  if (data === undefined) return null;
  const { data: searches, withoutText } = data;
  const times = searches.reduce((sum, each) => sum + each.times, 0);
  return (
    <>
      {searches.length === 0 ? null : (
        <section className="queue" aria-labelledby="queue-title">
          <h2 id="queue-title">
            Found nothing{' '}
            <span className="faint small">
              {plain(times)} {times === 1 ? 'search' : 'searches'}, {plain(searches.length)} different. Each is a
              missing tool or a missing word.
            </span>
          </h2>
          <div className="panel">
            <div className="queue-row queue-head" aria-hidden="true">
              <span>Query</span>
              <span className="right">Times</span>
              <span>Nearest tools, by meaning</span>
              <span />
            </div>
            <ul>
              {searches.map((search) => (
                <QueueRow key={`${search.catalogs.join()} ${search.query}`} search={search} />
              ))}
            </ul>
          </div>
        </section>
      )}
      {withoutText === 0 ? null : (
        <p className="faint queue-note">
          {plain(withoutText)} {withoutText === 1 ? 'search' : 'searches'} found nothing and left no text. With{' '}
          <code>insight: queries</code> in the settings, such queries are listed here with the nearest tools.
        </p>
      )}
    </>
  );
}

function QueueRow({ search }: { readonly search: UnansweredSearch }): ReactNode {
  const { query, catalogs, times, nearest } = search;
  const [catalog, ...others] = catalogs;
  return (
    <li className="queue-row">
      <div className="queue-query">
        <strong className="clamped" dir="auto" title={query}>
          {query}
        </strong>
        {catalogs.length === 0 ? null : <p className="faint small">in {catalogs.map(catalogName).join(', ')}</p>}
      </div>
      <span className="right dim">
        {plain(times)}× <span className="hidden-text">asked</span>
      </span>
      <span className="queue-tools">
        {catalog === undefined ? <span className="faint">tools of the request, in no catalog</span> : null}
        {catalog !== undefined && nearest.length === 0 ? <span className="faint">no tool is near</span> : null}
        {nearest.map(({ tool }) => (
          <ToolName key={tool} id={tool} />
        ))}
      </span>
      <span className="actions">
        {catalog === undefined || others.length > 0 ? null : (
          <LabelButtons query={query} catalog={catalog} tools={nearest.map(({ tool }) => tool)} />
        )}
      </span>
    </li>
  );
}
