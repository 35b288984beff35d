import type { Catalog } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { gateway } from '../api/gateway.ts';
import { catalogName } from '../shell/catalog-name.ts';
import { timeOf } from '../shell/dates.ts';
import { plain } from '../shell/numbers.ts';
import { useFirstRows } from '../shell/use-first-rows.tsx';

/** Every catalog that the key may use: whose it is, its version, and how large it is. */
export function CatalogTable(props: {
  readonly catalogs: readonly Catalog[];
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}): ReactNode {
  const { catalogs, chosen, onChoose } = props;
  const { data: keys } = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => gateway.request('GET /v1/keys', { signal }),
    retry: false,
  });
  const [first, more] = useFirstRows(catalogs, 'catalogs');
  const nameOf = (owner: string): string => keys?.data.find(({ id }) => id === owner)?.name ?? owner;
  return (
    <section className="panel catalog-table lined" aria-label="Catalogs">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>From</th>
            <th className="right">Tools</th>
            <th className="right">Version</th>
            <th>Updated</th>
          </tr>
        </thead>
        <tbody>
          {first.map(
            ({ name, owner = '', read_only: isServed, tool_count: count, version, updated_at: updated, error }) => (
              <tr key={name} className={name === chosen ? 'open' : ''}>
                <td>
                  <button type="button" className="unfold" onClick={() => onChoose(name)}>
                    {catalogName(name)}
                  </button>
                  {error === undefined ? null : <p className="problem small">{error}</p>}
                </td>
                <td className="dim" data-label="from">
                  {isServed === true ? 'MCP servers' : owner === '' ? 'without key' : nameOf(owner)}
                </td>
                <td className="right">
                  {plain(count)} <span className="phone-only">{count === 1 ? 'tool' : 'tools'}</span>
                </td>
                <td className="right dim" data-label={version === undefined ? undefined : 'version'}>
                  {version ?? <span className="wide-only">–</span>}
                </td>
                <td className="dim">
                  {updated === undefined ? <span className="wide-only">–</span> : timeOf(updated)}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      {more}
    </section>
  );
}
