import { useNavigate, useRouterState, useSearch as useRouteSearch } from '@tanstack/react-router';
import { Link2, Regex, Search } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useSaveCase } from '../api/labels.ts';
import { Button } from '../shell/button.tsx';
import { catalogName } from '../shell/catalog-name.ts';
import { copyLink } from '../shell/copy-text.ts';
import { Problem } from '../shell/problem.tsx';
import { rowShortcuts } from '../shell/row-shortcuts.ts';
import { SelectBox } from '../shell/select-box.tsx';
import { Sheet } from '../shell/sheet.tsx';
import { useShortcuts } from '../shell/use-shortcuts.ts';
import '../styles/playground.css';
import { useCases } from './cases.ts';
import { type Draft, readDraft, writeDraft } from './draft.ts';
import { type PlaygroundState, readPlaygroundState } from './playground-state.ts';
import { ResultTable } from './result-table.tsx';
import { ToolInspector } from './tool-inspector.tsx';
import { DEFAULT_LIMIT, useCatalog, useLastAnswer, useOtherEngines, useSearch, useSettled } from './use-playground.ts';
import { isPatternProblem, Verdict } from './verdict.tsx';
import { WhyNot } from './why-not.tsx';

const NONE: readonly string[] = [];

const LIMITS = ['1', '3', '5', '10', '20'];

const EXAMPLES = ['give the customer their money back', 'what needs my review today', 'turn off the lights downstairs'];

export function PlaygroundPage(): ReactNode {
  const state = useRouteSearch({ from: '/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const hash = useRouterState({ select: ({ location: { hash: current } }) => current });
  const draft = readDraft(hash);
  const { name: catalog, names, isLoaded, error: catalogsError, toolCount, isServed } = useCatalog(state.catalog);
  const { own, others: otherEngines } = useOtherEngines();
  // A pattern means nothing to the engines that read words.
  const others = state.engine === 'regex' ? NONE : otherEngines;
  const [isSheetOpen, setSheetOpen] = useState(false);
  const limit = state.limit ?? DEFAULT_LIMIT;
  const query = useSettled(state.q ?? '');
  const search = useSearch({ ...state, q: query, catalog, draft }, others);
  const stored = useSearch({ ...state, q: query, catalog }, others);
  const cases = useCases(catalog ?? '');
  const save = useSaveCase(catalog ?? '');
  const last = useLastAnswer(catalog, search.isPlaceholderData ? undefined : search.data);
  const isMistyped = isPatternProblem(search.error);
  const answer = query.trim() === '' ? undefined : (search.data ?? (isMistyped ? last : undefined));
  const hits = answer?.results[0]?.hits ?? [];
  const selected = hits.find(({ tool }) => tool === state.tool) ?? hits[0];

  /** Typing replaces the entry of the history, so that Back leaves the screen; unfolding adds one. */
  const set = (change: Partial<Record<keyof PlaygroundState, string | number | undefined>>, replace = false): void => {
    void navigate({
      search: (old) => readPlaygroundState({ ...old, ...change }),
      hash: true,
      replace,
      resetScroll: false,
    });
  };
  const setDraft = (next: Draft | undefined): void => {
    void navigate({ search: (old) => old, hash: writeDraft(next), replace: true, resetScroll: false });
  };
  useShortcuts({
    ...rowShortcuts(() => set({ tool: undefined })),
    y: () => void copyLink(),
    w: (event) => {
      event.preventDefault();
      setSheetOpen(true);
      requestAnimationFrame(() => document.getElementById('why')?.focus());
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
            dir="auto"
            aria-label="What should the tool do?"
            placeholder="What should the tool do?"
            value={state.q ?? ''}
            maxLength={4_000}
            autoComplete="off"
            onChange={({ target }) => set({ q: target.value, tool: undefined }, true)}
          />
          <Button
            look="ghost icon"
            aria-pressed={state.engine === 'regex'}
            aria-label="Read the query as a pattern"
            title="Read the query as a pattern, as a regex search tool does"
            onClick={() => set({ engine: state.engine === 'regex' ? undefined : 'regex', sort: undefined })}
          >
            <Regex size={16} aria-hidden="true" />
          </Button>
          <kbd>/</kbd>
        </div>
        <SelectBox
          label="Catalog"
          value={catalog ?? ''}
          choices={names.map((name) => ({ value: name, name: catalogName(name) }))}
          onChange={(value) =>
            void navigate({
              search: (old) => readPlaygroundState({ ...old, catalog: value, tool: undefined, why: undefined }),
            })
          }
        />
        <SelectBox
          label="Limit"
          value={String(limit)}
          choices={LIMITS.map((each) => ({ value: each, name: each }))}
          onChange={(value) => set({ limit: Number(value) })}
        />
        <Button look="tall icon" aria-label="Copy a link to this search" onClick={() => void copyLink()}>
          <Link2 size={16} aria-hidden="true" />
        </Button>
      </div>
      <Verdict answer={answer} limit={limit} error={search.error} catalog={catalog} query={query} engine={own} />
      <Problem error={catalogsError} what="catalogs" />
      {answer === undefined || catalog === undefined ? (
        <Start
          catalog={catalog}
          isLoaded={isLoaded}
          toolCount={toolCount}
          state={search.isFetching ? 'searching' : query.trim() === '' ? 'empty' : 'failed'}
          onTry={(example) => set({ q: example }, true)}
        />
      ) : (
        <div className={`split${isMistyped ? ' stale' : ''}`} aria-busy={search.isPlaceholderData}>
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
            onInspect={() => setSheetOpen(true)}
          />
          <Sheet label="Selected tool" isOpen={isSheetOpen} onClose={() => setSheetOpen(false)}>
            {selected === undefined ? null : (
              <ToolInspector
                key={selected.tool}
                catalog={catalog}
                isServed={isServed}
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
          </Sheet>
        </div>
      )}
    </>
  );
}

function Start(props: {
  readonly catalog: string | undefined;
  readonly isLoaded: boolean;
  readonly toolCount: number | undefined;
  readonly state: 'empty' | 'searching' | 'failed';
  readonly onTry: (example: string) => void;
}): ReactNode {
  const { catalog, isLoaded, toolCount, state, onTry } = props;
  if (!isLoaded || (state === 'failed' && catalog !== undefined)) return null;
  if (state === 'searching') {
    return <div className="panel empty">Searching. The first search of a catalog builds its index…</div>;
  }
  if (catalog === undefined) {
    return (
      <div className="panel empty">
        <h2>No catalog yet</h2>
        <p>Upload one, then search it here:</p>
        <pre>curl -X PUT {location.origin}/v1/catalogs/mine -d @tools.json</pre>
      </div>
    );
  }
  const tools = toolCount === undefined ? '' : `: ${toolCount.toLocaleString('en')} tools`;
  if (catalog !== 'sample') {
    return (
      <div className="panel empty">
        <h2>
          Search {catalogName(catalog)}
          {tools}
        </h2>
        <p>Type a request as a user or a model would write it.</p>
      </div>
    );
  }
  return (
    <div className="panel empty">
      <h2>This is the sample catalog{tools}, no key needed. Try one:</h2>
      <div className="chips">
        {EXAMPLES.map((example) => (
          <button key={example} type="button" className="chip" onClick={() => onTry(example)}>
            {example}
          </button>
        ))}
      </div>
      <p className="small faint">
        Each result has “Run it…”: the mock model then searches, and calls what it finds. The requests appear in
        Activity.
      </p>
    </div>
  );
}
