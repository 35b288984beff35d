import { ApiFailure, type SearchAnswer } from '@quartermaster/client';
import { useNavigate, useRouterState, useSearch as useRouteSearch } from '@tanstack/react-router';
import { Check, Link2, Search, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSaveCase } from '../api/labels.ts';
import { copyLink } from '../shell/copy-text.ts';
import { LabelButtons } from '../shell/label-dialog.tsx';
import { useShortcuts } from '../shell/use-shortcuts.ts';
import '../styles/playground.css';
import { useCases } from './cases.ts';
import { type Draft, readDraft, writeDraft } from './draft.ts';
import type { PlaygroundState } from './playground-state.ts';
import { ResultTable } from './result-table.tsx';
import { ToolInspector } from './tool-inspector.tsx';
import { DEFAULT_LIMIT, useCatalog, useOtherEngines, useSearch, useSettled } from './use-playground.ts';
import { WhyNot } from './why-not.tsx';

const EXAMPLES = ['give the customer their money back', 'what needs my review today', 'turn off the lights downstairs'];

export function PlaygroundPage(): ReactNode {
  const state = useRouteSearch({ from: '/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const hash = useRouterState({ select: ({ location: { hash: current } }) => current });
  const draft = readDraft(hash);
  const { name: catalog, names } = useCatalog(state.catalog);
  const { others } = useOtherEngines();
  const limit = state.limit ?? DEFAULT_LIMIT;
  const query = useSettled(state.q ?? '');
  const search = useSearch({ ...state, q: query, catalog, draft }, others);
  const stored = useSearch({ ...state, q: query, catalog }, others);
  const cases = useCases(catalog ?? '');
  const save = useSaveCase(catalog ?? '');
  const answer = query.trim() === '' ? undefined : search.data;
  const hits = answer?.results[0]?.hits ?? [];
  const selected = hits.find(({ tool }) => tool === state.tool) ?? hits[0];

  /** Typing replaces the entry of the history, so that Back leaves the screen; unfolding adds one. */
  const set = (change: Partial<Record<keyof PlaygroundState, string | number | undefined>>, replace = false): void => {
    void navigate({ search: (old) => clean({ ...old, ...change }), hash: true, replace, resetScroll: false });
  };
  const setDraft = (next: Draft | undefined): void => {
    void navigate({ search: (old) => old, hash: writeDraft(next), replace: true, resetScroll: false });
  };
  const move =
    (step: number) =>
    (event: KeyboardEvent): void => {
      event.preventDefault();
      const at = hits.findIndex(({ tool }) => tool === state.tool);
      const next = hits[Math.min(hits.length - 1, Math.max(0, at + step))];
      if (next === undefined) return;
      set({ tool: next.tool }, true);
      document.querySelector(`[data-row="${CSS.escape(next.tool)}"]`)?.scrollIntoView({ block: 'nearest' });
    };
  useShortcuts({
    j: move(1),
    k: move(-1),
    ArrowDown: move(1),
    ArrowUp: move(-1),
    Escape: () => set({ tool: undefined }),
    y: () => void copyLink(),
    w: (event) => {
      event.preventDefault();
      document.getElementById('why')?.focus();
    },
    e: () => {
      if (selected !== undefined) save.mutate({ query, tools: [selected.tool] });
    },
  });

  return (
    <>
      <h1 className="hidden-text">Playground</h1>
      <div className="search-line">
        <div className="field big">
          <Search size={18} aria-hidden="true" />
          <input
            data-screen-search
            type="search"
            aria-label="What should the tool do?"
            placeholder="What should the tool do?"
            value={state.q ?? ''}
            maxLength={4_000}
            autoComplete="off"
            onChange={({ target }) => set({ q: target.value, tool: undefined }, true)}
          />
          <kbd>/</kbd>
        </div>
        <label className="labelled">
          Catalog
          <select
            className="select"
            value={catalog ?? ''}
            onChange={({ target }) =>
              void navigate({
                search: (old) => clean({ ...old, catalog: target.value, tool: undefined, why: undefined }),
              })
            }
          >
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className="labelled">
          Limit
          <select className="select" value={limit} onChange={({ target }) => set({ limit: Number(target.value) })}>
            {[1, 3, 5, 10, 20].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <button
          type="button"
          className="button tall icon"
          aria-label="Copy a link to this search"
          onClick={() => void copyLink()}
        >
          <Link2 size={16} aria-hidden="true" />
        </button>
      </div>
      <Verdict answer={answer} limit={limit} error={search.error} catalog={catalog} query={query} />
      {answer === undefined || catalog === undefined ? (
        <Start catalog={catalog} isSearching={search.isFetching} onTry={(example) => set({ q: example }, true)} />
      ) : (
        <div className="split" aria-busy={search.isPlaceholderData}>
          <ResultTable
            catalog={catalog}
            cases={cases}
            sort={state.sort}
            onSort={(sort) => set({ sort })}
            answer={answer}
            query={query}
            limit={limit}
            engines={others}
            selected={state.tool}
            onSelect={(tool) => set({ tool })}
          />
          <aside className="panel inspector" aria-label="Selected tool">
            {selected === undefined ? null : (
              <ToolInspector
                key={selected.tool}
                catalog={catalog}
                hit={selected}
                query={query}
                cases={cases}
                save={save}
                before={stored.data}
                after={answer}
                draft={draft?.tool === selected.tool ? draft.text : undefined}
                onDraft={(text) => setDraft(text === undefined ? undefined : { tool: selected.tool, text })}
              />
            )}
            <WhyNot
              catalog={catalog}
              why={state.why}
              onWhy={(why) => set({ why }, true)}
              answer={answer}
              limit={limit}
            />
          </aside>
        </div>
      )}
    </>
  );
}

/** The verdict is announced to screen readers; the list is not, since it changes with every key. */
function Verdict(props: {
  readonly answer: SearchAnswer | undefined;
  readonly limit: number;
  readonly error: Error | null;
  readonly catalog: string | undefined;
  readonly query: string;
}): ReactNode {
  const { answer, limit, error, catalog, query } = props;
  if (error instanceof ApiFailure) {
    return (
      <p className="verdict problem" role="alert">
        {error.message}
      </p>
    );
  }
  if (answer === undefined) return <p className="verdict" aria-live="polite" />;
  const [result] = answer.results;
  const isMatch = result?.verdict === 'match';
  const loaded = isMatch ? (result?.hits ?? []).slice(0, limit).reduce((sum, { tokens }) => sum + tokens, 0) : 0;
  const nearest = result?.hits[0];
  return (
    <div className="verdict">
      <span aria-live="polite">
        {isMatch ? (
          <span className="tag ok big">
            <Check size={14} aria-hidden="true" /> Match
          </span>
        ) : (
          <span className="tag wait big">
            <X size={14} aria-hidden="true" /> No match
          </span>
        )}
      </span>
      {result?.confidence === undefined ? null : (
        <span>
          confidence <strong>{result.confidence.toFixed(2)}</strong>
        </span>
      )}
      {isMatch ? null : (
        <>
          <span>
            No tool fits.{' '}
            {nearest === undefined ? null : (
              <>
                The nearest is <strong className="mono">{nearest.tool}</strong>.
              </>
            )}
          </span>
          {catalog === undefined ? null : (
            <span className="verdict-actions">
              <LabelButtons
                key={`${catalog} ${query}`}
                query={query}
                catalog={catalog}
                tools={(result?.hits ?? []).map(({ tool }) => tool)}
              />
            </span>
          )}
        </>
      )}
      <span>
        found in <strong>{answer.took_ms.toFixed(1)} ms</strong>
      </span>
      {isMatch ? (
        <span>
          <strong>{loaded.toLocaleString('en')}</strong> tokens loaded
          {answer.catalog.tokens === undefined ? null : (
            <>
              {' '}
              instead of <strong>{answer.catalog.tokens.toLocaleString('en')}</strong>
            </>
          )}
        </span>
      ) : null}
      {result?.unresolved === undefined ? null : (
        <span className="loss">read as plain words: {result.unresolved.join(', ')}</span>
      )}
      <span className="end faint">
        {catalog === 'sample' ? 'Sample catalog: ' : ''}
        {answer.catalog.tool_count === undefined ? '' : `${answer.catalog.tool_count.toLocaleString('en')} tools`}
        {catalog === 'sample' ? ', no key needed' : ''}
      </span>
    </div>
  );
}

function Start(props: {
  readonly catalog: string | undefined;
  readonly isSearching: boolean;
  readonly onTry: (example: string) => void;
}): ReactNode {
  const { catalog, isSearching, onTry } = props;
  if (isSearching) return <div className="panel empty">Searching. The first search of a catalog builds its index…</div>;
  if (catalog === undefined) {
    return (
      <div className="panel empty">
        <h2>No catalog yet</h2>
        <p>Upload one, then search it here:</p>
        <pre>curl -X PUT {location.origin}/v1/catalogs/mine -d @tools.json</pre>
      </div>
    );
  }
  return (
    <div className="panel empty">
      <h2>
        {catalog === 'sample'
          ? 'This is the sample catalog: 468 tools of 20 services, no key needed.'
          : `Search ${catalog}`}
      </h2>
      <p>Type a request as a user or a model would write it. {catalog === 'sample' ? 'Or try one of these:' : ''}</p>
      {catalog === 'sample' ? (
        <div className="chips">
          {EXAMPLES.map((example) => (
            <button key={example} type="button" className="chip" onClick={() => onTry(example)}>
              {example}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}

function clean(state: Record<string, string | number | undefined>): PlaygroundState {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined && value !== ''));
}
