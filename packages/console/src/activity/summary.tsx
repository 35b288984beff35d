import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { gateway } from '../api/gateway.ts';
import { plain, signedShort } from '../shell/numbers.ts';
import { pollingMs } from './use-figures.ts';

/** What the gateway counted today. */
export function Summary({ isLive }: { readonly isLive: boolean }): ReactNode {
  const { data } = useQuery({
    queryKey: ['savings', 1],
    queryFn: ({ signal }) => gateway.request('GET /v1/savings', { query: { days: 1 }, signal }),
    refetchInterval: pollingMs(isLive),
  });
  if (data === undefined) return <p className="summary" />;
  const { requests, searches, foundNothing, found, unused, net } = data.total;
  return (
    <p className="summary">
      <span title="Since midnight, UTC">
        Today <strong>{plain(requests)}</strong> {requests === 1 ? 'request' : 'requests'}
      </span>
      <span>
        <strong>{plain(searches)}</strong> {searches === 1 ? 'search' : 'searches'}
      </span>
      {searches === 0 ? null : (
        <span>
          <strong>{((100 * foundNothing) / searches).toFixed(1)}%</strong> found nothing
        </span>
      )}
      {found === 0 ? null : (
        <span>
          <strong>{((100 * (found - unused)) / found).toFixed(0)}%</strong> of found tools were called
        </span>
      )}
      <span>
        net <strong className={net < 0 ? 'loss' : ''}>{signedShort(net)}</strong> tokens
      </span>
    </p>
  );
}
