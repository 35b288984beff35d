import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { gateway } from '../api/gateway.ts';
import { plain } from '../shell/numbers.ts';
import { formName } from './activity-state.ts';

/** Whether models search when they have to, by model and form, and what to do about those that don't. */
export function Reach(): ReactNode {
  const { data } = useQuery({
    queryKey: ['reach'],
    queryFn: ({ signal }) => gateway.request('GET /v1/reach', { query: {}, signal }),
    refetchInterval: 10_000,
  });
  const rows = data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a pointer
    <section className="panel reach lined" aria-label="Who searches" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Model</th>
            <th>Form</th>
            <th className="right">Responses with deferred tools</th>
            <th className="right">Searched</th>
            <th className="right">Called without a search</th>
            <th className="right">Did neither</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ model, form, deferred, searched, called, neither, isPoor }) => (
            <tr key={`${model} ${form}`}>
              <td className="mono">{model}</td>
              <td data-label="form">{formName(form)}</td>
              <td className="right" data-label="responses">
                {plain(deferred)}
              </td>
              <td className="right" data-label="searched">
                {plain(searched)}
              </td>
              <td className="right" data-label="called without">
                {plain(called)}
              </td>
              <td className={`right ${isPoor ? 'loss' : ''}`} data-label="neither">
                {plain(neither)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.map(({ model, form, advice }) =>
        advice === undefined ? null : (
          <p key={`${model} ${form}`} className="notice-loss">
            <span>{advice}</span>
          </p>
        ),
      )}
    </section>
  );
}
