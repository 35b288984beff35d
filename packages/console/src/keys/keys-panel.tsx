import type { Key, Totals } from '@quartermaster/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { useRefresh } from '../api/use-refresh.ts';
import { Button } from '../shell/button.tsx';
import { dayOf, timeOf } from '../shell/dates.ts';
import { Dialog } from '../shell/dialog.tsx';
import { plain, signedShort } from '../shell/numbers.ts';
import { Failure, Problem } from '../shell/problem.tsx';
import { useFirstRows } from '../shell/use-first-rows.tsx';
import { CreateKey, type MadeKey } from './create-key.tsx';

/** The keys that this page's key may see. */
export function useKeys({ refetchInterval = 15_000 }: { readonly refetchInterval?: number } = {}) {
  return useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => gateway.request('GET /v1/keys', { signal }),
    refetchInterval,
  });
}

/** Who may use the gateway: rights, limits and what is used of them, expiry. A secret is shown once. */
export function KeysPanel(props: {
  readonly savings: Readonly<Record<string, Totals>>;
  /** How many days they are of. */
  readonly period: number;
  readonly onMade: (key: MadeKey) => void;
}): ReactNode {
  const { savings, period, onMade } = props;
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const { data, error } = useKeys();
  const [isRevokedShown, setRevokedShown] = useState(false);
  const all = data?.data ?? [];
  const usable = all.filter(({ state }) => state !== 'revoked');
  const revokedKeys = all.filter(({ state }) => state === 'revoked');
  const keys = isRevokedShown ? [...usable, ...revokedKeys] : usable;
  const [first, more] = useFirstRows(keys, 'keys');
  return (
    <section className="section" aria-labelledby="keys-title">
      <div className="section-head">
        <h2 id="keys-title">
          Keys <span className="faint small">only hashes are stored</span>
        </h2>
        {revokedKeys.length === 0 ? null : (
          <button
            type="button"
            className="link small"
            aria-pressed={isRevokedShown}
            onClick={() => setRevokedShown(!isRevokedShown)}
          >
            {isRevokedShown ? 'Hide' : 'Show'} {plain(revokedKeys.length)} revoked
          </button>
        )}
        {data?.may_manage === true ? (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Plus size={14} aria-hidden="true" /> Create key
          </Button>
        ) : null}
      </div>
      <Problem error={error} what="keys" />
      {data !== undefined && usable.length === 0 ? (
        <div className="panel empty">
          <p>
            No keys yet: everyone on this machine may use the gateway. The first key closes it to all requests without
            one, this page included.
          </p>
        </div>
      ) : null}
      {keys.length === 0 ? null : (
        <div className="panel keys-table">
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Models and endpoints</th>
                <th>Catalogs and tools</th>
                <th>Limits</th>
                <th>Expires</th>
                <th>Last used</th>
                <th className="right">Net, {period === 1 ? 'today' : `${period} d`}</th>
                <th>
                  <span className="hidden-text">Revoke</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {first.map((key) => (
                <tr key={key.id} className={key.state === 'active' ? undefined : 'spent'}>
                  <td>
                    <strong>{key.name}</strong>{' '}
                    {key.role === 'consumer' ? null : <span className="tag">{key.role}</span>}
                    <p className="faint small mono">{key.id}</p>
                  </td>
                  <td className="mono small">
                    {patterns(key.models)}
                    <Names word="only" of={key.endpoints} />
                  </td>
                  <td className="mono small">
                    {patterns(key.catalogs)}
                    <Names word="writes" of={key.writes} />
                    <Names word="only" of={key.tools?.allow} />
                    <Names word="not" of={key.tools?.deny} />
                  </td>
                  <td>
                    <Limits apiKey={key} />
                  </td>
                  <td>{key.state === 'revoked' ? <span className="tag">revoked</span> : <Expiry apiKey={key} />}</td>
                  <td className="dim">
                    <LastUse apiKey={key} />
                  </td>
                  <td className="right">
                    <Net totals={savings[key.id]} />
                  </td>
                  <td className="right">
                    {data?.may_manage === true && key.source === 'store' && key.state !== 'revoked' ? (
                      <Button look="ghost" aria-label={`Revoke… ${key.name}`} onClick={() => setRevoked(key)}>
                        Revoke…
                      </Button>
                    ) : (
                      <span className="faint small">{key.source === 'settings' ? 'in the settings' : ''}</span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {more}
        </div>
      )}
      <CreateKey isOpen={isCreating} isFirst={usable.length === 0} onClose={() => setCreating(false)} onMade={onMade} />
      <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </section>
  );
}

/** A key that may use everything says so in a word. */
function patterns(names: readonly string[]): ReactNode {
  if (names.includes('*')) return <span className="faint">all</span>;
  return names.length === 0 ? 'none' : names.join(', ');
}

/** What a key is limited to besides, or may do besides. */
function Names({ word, of }: { readonly word: string; readonly of: readonly string[] | undefined }): ReactNode {
  if (of === undefined) return null;
  return (
    <p>
      <span className="faint">{word}</span> {of.length === 0 ? 'nothing' : of.join(', ')}
    </p>
  );
}

function Net({ totals }: { readonly totals: Totals | undefined }): ReactNode {
  if (totals === undefined) return <span className="faint">–</span>;
  return <strong className={totals.net < 0 ? 'loss' : ''}>{signedShort(totals.net)}</strong>;
}

const LIMIT_WORDS = {
  requestsPerMinute: 'requests a minute',
  tokensPerMinute: 'tokens a minute',
  searchesPerMinute: 'searches a minute',
  tokensPerDay: 'tokens a day',
  tokensPerMonth: 'tokens a month',
} as const;

/** From this share on a limit is worth a look. */
const NEAR = 0.9;

function Limits({ apiKey }: { readonly apiKey: Key }): ReactNode {
  const set = Object.entries(LIMIT_WORDS).flatMap(([name, word]) => {
    const limit = apiKey.limits[name as keyof typeof LIMIT_WORDS];
    return limit === undefined ? [] : [{ name, word, limit, used: apiKey.used?.[name] ?? 0 }];
  });
  if (set.length === 0) return <span className="faint">none</span>;
  return set.map(({ name, word, limit, used }) => (
    <p key={name} className="small limit">
      <span className={`share${used >= NEAR * limit ? ' near' : ''}`} aria-hidden="true">
        <i style={{ width: `${Math.min(100, (100 * used) / Math.max(1, limit))}%` }} />
      </span>
      <span>
        {plain(used)} of {plain(limit)} <span className="faint">{word}</span>
      </span>
      {used >= NEAR * limit ? <span className="tag wait">near its limit</span> : null}
    </p>
  ));
}

/** The gateway notes it for its own keys. Those of the settings are in no table, and “never” would be wrong for them. */
function LastUse({ apiKey: { source, last_used_at: time } }: { readonly apiKey: Key }): ReactNode {
  if (time !== undefined) return timeOf(time);
  if (source === 'store') return 'never';
  return (
    <span className="faint" title="Not recorded for keys in the settings">
      –<span className="hidden-text"> not recorded</span>
    </span>
  );
}

const SOON_DAYS = 14;

function Expiry({ apiKey }: { readonly apiKey: Key }): ReactNode {
  if (apiKey.expires_at === undefined) return <span className="faint">never</span>;
  if (apiKey.state === 'expired') return <span className="tag bad">expired</span>;
  const days = (Date.parse(apiKey.expires_at) - Date.now()) / 86_400_000;
  return days <= SOON_DAYS ? <span className="tag wait">in {Math.ceil(days)} days</span> : dayOf(apiKey.expires_at);
}

function RevokeKey({ apiKey, onClose }: { readonly apiKey: Key | undefined; readonly onClose: () => void }): ReactNode {
  const refresh = useRefresh();
  const revoke = useMutation({
    mutationFn: (id: string) => gateway.request('DELETE /v1/keys/{id}', { path: { id } }),
    onSuccess: onClose,
    onSettled: () => refresh('keys'),
  });
  return (
    <Dialog title={`Revoke ${apiKey?.name ?? ''}?`} isOpen={apiKey !== undefined} onClose={onClose}>
      <p>Requests with this key are refused at once. This can’t be undone.</p>
      <Failure error={revoke.error} />
      <div className="actions">
        <Button onClick={onClose}>Keep it</Button>
        <Button look="primary" disabled={revoke.isPending} onClick={() => revoke.mutate(apiKey?.id ?? '')}>
          Revoke key
        </Button>
      </div>
    </Dialog>
  );
}
