import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { copyLink } from '../shell/copy-text.ts';
import { plain } from '../shell/numbers.ts';
import { useShortcuts } from '../shell/use-shortcuts.ts';
import '../styles/servers.css';
import { CatalogTable } from './catalog-table.tsx';
import { groupByServer, type ServerGroup, tableRows } from './server-groups.ts';
import { readServersState, type ServersState } from './servers-state.ts';
import { ToolTable } from './tool-table.tsx';
import { Treemap } from './treemap.tsx';
import {
  chooseCatalog,
  type Policy,
  type PolicyChange,
  useServerChanges,
  useServers,
  useSetPolicies,
  useTools,
} from './use-servers.ts';
import { Waiting } from './waiting.tsx';

/** What the longest bar stands for. */
function mostTokens(groups: readonly ServerGroup[], view: ServersState['view']): number {
  let most = 1;
  for (const { tokens, tools } of groups) {
    if (view !== 'tools') most = Math.max(most, tokens);
    else for (const tool of tools) most = Math.max(most, tool.tokens);
  }
  return most;
}

const NOTHING = { data: [], may_manage: false } as const;

export function ServersPage(): ReactNode {
  const state = useSearch({ from: '/servers' });
  const navigate = useNavigate({ from: '/servers' });
  const { data: catalogs } = useQuery({
    queryKey: ['catalogs'],
    queryFn: ({ signal }) => gateway.request('GET /v1/catalogs', { signal }),
  });
  const { data: servers = NOTHING, error: serversError } = useServers();
  useServerChanges();
  const catalog = chooseCatalog(catalogs?.data ?? [], state.catalog);
  const { data: tools, error } = useTools(catalog);
  const isServed = catalogs?.data.find(({ name }) => name === catalog)?.read_only === true;
  const groups = useMemo(
    () => groupByServer(tools?.data ?? [], isServed ? servers.data : []),
    [tools, servers, isServed],
  );
  const q = useDeferredValue(state.q);
  const rows = useMemo(
    () =>
      tableRows(groups, {
        ...(state.view === 'tools' ? { view: state.view } : {}),
        ...(state.sort === undefined ? {} : { sort: state.sort }),
        ...(q === undefined ? {} : { q }),
        ...(state.server === undefined ? {} : { server: state.server }),
      }),
    [groups, state.view, state.server, state.sort, q],
  );
  const set = (change: Partial<Record<keyof ServersState, string | undefined>>, replace = false): void => {
    void navigate({ search: (old) => readServersState({ ...old, ...change }), replace, resetScroll: false });
  };
  const { setPolicy, undo, problem } = useUndoablePolicy();
  const most = useMemo(() => mostTokens(groups, state.view), [groups, state.view]);
  const failure = error ?? serversError ?? problem;
  useShortcuts({
    j: focusRow(1),
    k: focusRow(-1),
    ArrowDown: focusRow(1),
    ArrowUp: focusRow(-1),
    Escape: () => set({ server: undefined, tool: undefined }),
    y: () => void copyLink(),
  });
  return (
    <>
      <div className="screen-head">
        <h1>Servers and catalogs</h1>
        <nav className="segments" aria-label="View">
          <button
            type="button"
            aria-current={state.view === undefined ? 'true' : undefined}
            onClick={() => set({ view: undefined })}
          >
            Servers {plain(groups.length)}
          </button>
          <button
            type="button"
            aria-current={state.view === 'tools' ? 'true' : undefined}
            onClick={() => set({ view: 'tools', server: undefined })}
          >
            Tools {plain(tools?.data.length ?? 0)}
          </button>
          <button
            type="button"
            aria-current={state.view === 'catalogs' ? 'true' : undefined}
            onClick={() => set({ view: 'catalogs', server: undefined })}
          >
            Catalogs {plain(catalogs?.data.length ?? 0)}
          </button>
        </nav>
        <div className="end">
          <select
            className="select"
            aria-label="Catalog"
            value={catalog ?? ''}
            onChange={({ target }) => set({ catalog: target.value, server: undefined, tool: undefined })}
          >
            {(catalogs?.data ?? []).map(({ name, version, tool_count: count }) => (
              <option key={name} value={name}>
                {name === 'mcpServers' ? 'all MCP servers' : name} ({plain(count)}
                {version === undefined ? '' : `, version ${version}`})
              </option>
            ))}
          </select>
          <div className="field">
            <input
              data-screen-search
              type="search"
              aria-label="Filter by server or tool"
              placeholder="Server or tool"
              value={state.q ?? ''}
              onChange={({ target }) => set({ q: target.value }, true)}
            />
            <kbd>/</kbd>
          </div>
        </div>
      </div>
      {failure === null || failure === undefined ? null : (
        <p className="problem" role="alert">
          {failure.message}
        </p>
      )}
      {undo === undefined ? null : (
        <p className="undo" role="status">
          {undo.text}{' '}
          <button type="button" className="button" onClick={undo.act}>
            Undo
          </button>
        </p>
      )}
      {catalogs !== undefined && catalogs.data.length === 0 ? <NoCatalogs /> : null}
      {catalog === undefined || (tools === undefined && error === null) ? null : (
        <div className="servers">
          <div className="servers-main">
            {tools === undefined ? null : (
              <section aria-labelledby="cost-title">
                <p className="cost">
                  <strong id="cost-title">{plain(tools.tokens)} tokens of definitions</strong>{' '}
                  <span className="dim small">
                    {((100 * tools.tokens) / tools.context_tokens).toFixed(1)}% of a {plain(tools.context_tokens)}
                    -token window if all were sent; {plain(tools.deferred_tokens)} with deferral
                  </span>
                </p>
                <Treemap
                  groups={groups}
                  chosen={state.server}
                  onChoose={(server) => set({ view: undefined, server: server === state.server ? undefined : server })}
                />
              </section>
            )}
            {state.view === 'catalogs' ? (
              <CatalogTable
                catalogs={catalogs?.data ?? []}
                chosen={catalog}
                onChoose={(name) => set({ catalog: name, view: undefined, server: undefined, tool: undefined })}
              />
            ) : null}
            {state.view === 'catalogs' ? null : (
              <ToolTable
                sort={state.sort ?? 'tokens'}
                onSort={(sort) => set({ sort })}
                rows={rows}
                catalog={catalog}
                open={{ server: state.server, tool: state.tool }}
                mostTokens={most}
                mayManage={servers.may_manage}
                onServer={(server) => set({ server: server === state.server ? undefined : server })}
                onTool={(tool) => set({ tool: tool === state.tool ? undefined : tool })}
                onPolicy={setPolicy}
              />
            )}
          </div>
          <Waiting
            servers={isServed ? servers.data : []}
            tools={tools?.data ?? NOTHING.data}
            mayManage={servers.may_manage}
            onTool={({ tool, server }) => set({ view: undefined, q: undefined, server: server ?? '', tool })}
          />
        </div>
      )}
    </>
  );
}

/** Rows are unfolded with Enter once they have the focus. */
function focusRow(step: number): (event: KeyboardEvent) => void {
  return (event) => {
    event.preventDefault();
    const rows = [...document.querySelectorAll<HTMLElement>('.tool-slot .unfold')].sort(
      (left, right) => left.getBoundingClientRect().top - right.getBoundingClientRect().top,
    );
    const at = rows.indexOf(document.activeElement as HTMLElement);
    rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
  };
}

/** How long a change can be taken back with one click. */
const UNDO_MS = 8_000;

function useUndoablePolicy() {
  const [undo, setUndo] = useState<{ readonly text: string; readonly act: () => void }>();
  const policies = useSetPolicies();
  useEffect(() => {
    if (undo === undefined) return undefined;
    const timer = setTimeout(() => setUndo(undefined), UNDO_MS);
    return () => clearTimeout(timer);
  }, [undo]);
  const setPolicy = (change: PolicyChange, before: Policy | 'mixed'): void => {
    policies.mutate([change], {
      onSuccess() {
        const word =
          change.policy === null ? 'as in the settings' : change.policy === 'automatic' ? 'auto' : change.policy;
        const back = before === 'mixed' || before === 'automatic' ? null : before;
        setUndo({
          text: `Hold back ${change.name}: ${word}.`,
          act() {
            setUndo(undefined);
            policies.mutate([{ ...change, policy: back }]);
          },
        });
      },
    });
  };
  return { setPolicy, undo, problem: policies.error };
}

function NoCatalogs(): ReactNode {
  return (
    <div className="panel empty">
      <h2>No servers and no catalogs yet</h2>
      <p>
        Add the <code>mcpServers</code> block of your client to <code>quartermaster.yaml</code>, or upload tools:
      </p>
      <pre>{`curl -X PUT ${location.origin}/v1/catalogs/mine -d @tools.json`}</pre>
    </div>
  );
}
