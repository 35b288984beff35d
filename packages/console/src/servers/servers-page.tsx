import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus, Search } from 'lucide-react';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { Button } from '../shell/button.tsx';
import { catalogName } from '../shell/catalog-name.ts';
import { copyLink } from '../shell/copy-text.ts';
import { Dialog } from '../shell/dialog.tsx';
import { plain, share } from '../shell/numbers.ts';
import { Problem } from '../shell/problem.tsx';
import { rowShortcuts } from '../shell/row-shortcuts.ts';
import { SelectBox } from '../shell/select-box.tsx';
import { useShortcuts } from '../shell/use-shortcuts.ts';
import '../styles/servers.css';
import { AddServers } from './add-servers.tsx';
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
  for (const { tokens, tools, held } of groups) {
    for (const { tokens: changed } of held) most = Math.max(most, changed.after);
    if (view !== 'tools') most = Math.max(most, tokens);
    else for (const tool of tools) most = Math.max(most, tool.tokens);
  }
  return most;
}

const NO_GROUPS: readonly ServerGroup[] = [];

const NOTHING = { data: [], may_manage: false } as const;

export function ServersPage(): ReactNode {
  const state = useSearch({ from: '/servers' });
  const { server, _splat: toolName } = useParams({ strict: false });
  const openTool = toolName === undefined || toolName === '' ? undefined : idOf(server, toolName);
  const navigate = useNavigate();
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
  // What ten thousand tools need is made in a task of its own, after the head of the page and after the click that asks for it.
  const listed = useDeferredValue(groups, NO_GROUPS);
  const sort = useDeferredValue(state.sort);
  const view = useDeferredValue(state.view);
  const rows = useMemo(
    () =>
      tableRows(listed, {
        ...(view === 'tools' ? { view } : {}),
        ...(sort === undefined ? {} : { sort }),
        ...(q === undefined ? {} : { q }),
        ...(server === undefined ? {} : { server: nameOf(server) }),
      }),
    [listed, view, server, sort, q],
  );
  const search = (change: Partial<Record<keyof ServersState, string | true | undefined>>) => (old: object) =>
    readServersState({ ...old, ...change });
  const set = (change: Parameters<typeof search>[0], replace = false): void => {
    void navigate({ to: '.', search: search(change), replace, resetScroll: false });
  };
  /** What is unfolded is in the path; a server without a name has one there, too. */
  const unfold = (
    place: { readonly server?: string | undefined; readonly tool?: string },
    change: Parameters<typeof search>[0] = {},
  ): void => {
    const options = { search: search({ show: undefined, ...change }), resetScroll: false };
    if (place.server === undefined) void navigate({ to: '/servers', ...options });
    else if (place.tool === undefined) {
      void navigate({ to: '/servers/$server', params: { server: pathOf(place.server) }, ...options });
    } else {
      const params = { server: pathOf(place.server), _splat: place.tool };
      void navigate({ to: '/servers/$server/$', params, ...options });
    }
  };
  const unfoldTool = (tool: string, change: Parameters<typeof search>[0] = {}): void => {
    const facts = tools?.data.find((one) => one.tool === tool);
    const owner = facts?.server ?? (facts === undefined ? tool.slice(0, tool.indexOf('/')) : '');
    unfold({ server: owner, tool: owner === '' ? tool : tool.slice(owner.length + 1) }, change);
  };
  const { setPolicy, undo, hold, release, problem } = useUndoablePolicy();
  const [target, setTarget] = useState(() => {
    if (openTool !== undefined) return `tool ${openTool}`;
    return server === undefined ? undefined : `server ${nameOf(server)}`;
  });
  const isOpen = (name: string): boolean => server !== undefined && nameOf(server) === name;
  const most = useMemo(() => mostTokens(listed, view), [listed, view]);
  const failure = error ?? serversError ?? problem;
  useShortcuts({
    ...rowShortcuts(() => unfold({})),
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
            onClick={() => unfold({}, { view: 'tools' })}
          >
            Tools {plain(tools?.data.length ?? 0)}
          </button>
          <button
            type="button"
            aria-current={state.view === 'catalogs' ? 'true' : undefined}
            onClick={() => unfold({}, { view: 'catalogs' })}
          >
            Catalogs {plain(catalogs?.data.length ?? 0)}
          </button>
        </nav>
        <div className="end">
          {catalog === undefined ? null : (
            <SelectBox
              label="Catalog"
              isLabelHidden
              value={catalog}
              choices={(catalogs?.data ?? []).map(({ name, version, tool_count: count }) => ({
                value: name,
                name: `${catalogName(name)} (${plain(count)}${version === undefined ? '' : `, version ${version}`})`,
              }))}
              onChange={(value) => unfold({}, { catalog: value })}
            />
          )}
          <div className="field">
            <Search size={14} aria-hidden="true" />
            <input
              data-screen-search
              type="search"
              dir="auto"
              aria-label="Filter by server or tool"
              placeholder="Server or tool"
              value={state.q ?? ''}
              onChange={({ target }) => set({ q: target.value }, true)}
            />
            <kbd>/</kbd>
          </div>
          {servers.may_manage ? (
            <Button look="primary" onClick={() => set({ add: true })}>
              <Plus size={14} aria-hidden="true" /> Add server…
            </Button>
          ) : null}
        </div>
      </div>
      <Problem error={failure ?? null} what="servers" />
      <Dialog
        title="Add servers"
        isWide
        isOpen={state.add === true}
        onClose={() => {
          if (state.add === true) set({ add: undefined });
        }}
      >
        <AddServers servers={servers.data} />
        <form method="dialog" className="actions">
          <Button type="submit" look="ghost">
            Close
          </Button>
        </form>
      </Dialog>
      {undo === undefined ? null : (
        <p
          className="undo"
          role="status"
          onPointerEnter={hold}
          onFocus={hold}
          onPointerLeave={release}
          onBlur={release}
        >
          {undo.text} <Button onClick={undo.act}>Undo</Button>
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
                    {share(tools.tokens / tools.context_tokens)} of a {plain(tools.context_tokens)}
                    -token window if all were sent; {plain(tools.deferred_tokens)} with deferral
                  </span>
                </p>
                <Treemap
                  groups={listed}
                  chosen={server === undefined ? undefined : nameOf(server)}
                  onChoose={(name) => {
                    setTarget(isOpen(name) ? undefined : `server ${name}`);
                    unfold(isOpen(name) ? {} : { server: name }, { view: undefined });
                  }}
                />
              </section>
            )}
            {state.view === 'catalogs' ? (
              <CatalogTable
                catalogs={catalogs?.data ?? []}
                chosen={catalog}
                onChoose={(name) => unfold({}, { catalog: name, view: undefined })}
              />
            ) : null}
            {state.view === 'catalogs' ? null : (
              <ToolTable
                sort={state.sort ?? 'tokens'}
                onSort={(sort) => set({ sort })}
                rows={rows}
                catalog={catalog}
                target={target}
                onShown={() => setTarget(undefined)}
                hasStates={groups.some((group) => group.server !== undefined)}
                open={{ server: server === undefined ? undefined : nameOf(server), tool: openTool }}
                mostTokens={most}
                isFlat={view === 'tools'}
                isFiltered={(q ?? '') !== ''}
                mayManage={servers.may_manage}
                onServer={(name) => unfold(isOpen(name) ? {} : { server: name })}
                onTool={(tool) => {
                  if (tool !== openTool) unfoldTool(tool);
                  else unfold(state.view === 'tools' ? {} : { server: nameOf(server ?? '') });
                }}
                onPolicy={setPolicy}
                onDiff={({ tool }) => unfoldTool(tool, { show: 'diff' })}
              />
            )}
          </div>
          <Waiting
            isFirst={state.view === undefined}
            servers={isServed ? servers.data : []}
            tools={tools?.data ?? NOTHING.data}
            mayManage={servers.may_manage}
            shown={state.show === 'diff' ? openTool : undefined}
            onDiff={(tool) => {
              if (tool === undefined) set({ show: undefined });
              else unfoldTool(tool, { show: 'diff' });
            }}
            onTool={({ tool }) => {
              setTarget(`tool ${tool}`);
              unfoldTool(tool, { view: undefined, q: undefined });
            }}
            onAll={() => unfold({}, { view: 'tools', sort: 'findings', q: undefined })}
          />
        </div>
      )}
    </>
  );
}

/** A server without a name is this in a path. */
const UNNAMED = '-';

function pathOf(server: string): string {
  return server === '' ? UNNAMED : server;
}

function nameOf(path: string): string {
  return path === UNNAMED ? '' : path;
}

function idOf(server: string | undefined, tool: string): string {
  return server === undefined || server === UNNAMED ? tool : `${server}/${tool}`;
}

/** How long a change can be taken back with one click. */
const UNDO_MS = 8_000;

function useUndoablePolicy() {
  const [undo, setUndo] = useState<{ readonly text: string; readonly act: () => void }>();
  const [isHeld, setHeld] = useState(false);
  const policies = useSetPolicies();
  useEffect(() => {
    if (undo === undefined || isHeld) return undefined;
    const timer = setTimeout(() => setUndo(undefined), UNDO_MS);
    return () => clearTimeout(timer);
  }, [undo, isHeld]);
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
            setHeld(false);
            policies.mutate([{ ...change, policy: back }]);
          },
        });
      },
    });
  };
  // Someone about to press the button is not hurried.
  return { setPolicy, undo, hold: () => setHeld(true), release: () => setHeld(false), problem: policies.error };
}

function NoCatalogs(): ReactNode {
  return (
    <div className="panel empty apart">
      <AddServers servers={NOTHING.data} />
      <p>Or upload a list of tools:</p>
      <pre>{`curl -X PUT ${location.origin}/v1/catalogs/mine -d @tools.json`}</pre>
    </div>
  );
}
