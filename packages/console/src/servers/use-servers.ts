import type { Catalog, Server, ToolFacts } from '@quartermaster/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { gateway } from '../api/gateway.ts';
import { useRefresh } from '../api/use-refresh.ts';
import { useLive } from '../shell/use-live.ts';

export type Policy = ToolFacts['policy'];

export interface PolicyChange {
  readonly kind: 'server' | 'tool';
  readonly name: string;
  /** `null` leaves it to the settings again. */
  readonly policy: Policy | null;
}

/** The MCP servers, asked for again while the page is open: they come and go by themselves. */
export function useServers() {
  return useQuery({
    queryKey: ['servers'],
    queryFn: ({ signal }) => gateway.request('GET /v1/servers', { signal }),
    refetchInterval: 10_000,
  });
}

/** An admin key gets changes of servers live; any other polls. */
export function useServerChanges(): void {
  const refresh = useRefresh();
  useLive({ onServer: () => void refresh('servers', 'tools', 'catalogs') });
}

/** What waits for a decision of a person. */
export function countWaiting(servers: readonly Server[]): number {
  const changes = servers.reduce((sum, server) => sum + server.changes.length, 0);
  return changes + servers.filter(({ state }) => state === 'sign-in').length;
}

export function useTools(catalog: string | undefined) {
  return useQuery({
    queryKey: ['tools', catalog],
    queryFn: ({ signal }) =>
      gateway.request('GET /v1/catalogs/{name}/tools', { path: { name: catalog ?? '' }, signal }),
    enabled: catalog !== undefined,
    // Comparing ten thousand tools with those before would hold up the page for longer than drawing them.
    structuralSharing: false,
  });
}

/** The catalog of all MCP servers where there are any, else the first one. */
export function chooseCatalog(catalogs: readonly Catalog[], asked: string | undefined): string | undefined {
  const known = catalogs.find(({ name }) => name === asked) ?? catalogs.find(({ name }) => name === 'mcpServers');
  return (known ?? catalogs[0])?.name;
}

/** Sets policies, and gives back what undoes it. */
export function useSetPolicies() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (changes: readonly PolicyChange[]) => gateway.request('PATCH /v1/policies', { body: { changes } }),
    onSuccess: () => refresh('tools', 'servers'),
  });
}
