import type { SearchAnswer, Standing } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { scoreParts } from './score-parts.ts';

/** Where any tool of the catalog stands for the query, found or not. */
export function WhyNot(props: {
  readonly catalog: string;
  readonly why: string | undefined;
  readonly onWhy: (tool: string | undefined) => void;
  readonly answer: SearchAnswer | undefined;
  readonly limit: number;
}): ReactNode {
  const { catalog, why, onWhy, answer, limit } = props;
  // The list of a large catalog is only read where somebody asks.
  const [isAsked, setAsked] = useState(false);
  const { data } = useQuery({
    queryKey: ['tools', catalog],
    queryFn: ({ signal }) => gateway.request('GET /v1/catalogs/{name}/tools', { path: { name: catalog }, signal }),
    enabled: isAsked,
    structuralSharing: false,
    staleTime: Infinity,
  });
  const ids = data?.data.map(({ tool }) => tool) ?? [];
  const last = answer?.results[0]?.hits[limit - 1];
  return (
    <section className="inspector-part stack" aria-labelledby="why-title">
      <label htmlFor="why" id="why-title" className="inspector-title">
        Why not this tool?
      </label>
      <div className="field">
        <input
          id="why"
          list="catalog-tools"
          placeholder="server/tool"
          autoComplete="off"
          spellCheck={false}
          defaultValue={why ?? ''}
          key={why ?? ''}
          onFocus={() => setAsked(true)}
          onChange={({ target }) => {
            if (target.value === '') onWhy(undefined);
            else if (ids.includes(target.value)) onWhy(target.value);
          }}
        />
      </div>
      <datalist id="catalog-tools">
        {ids.slice(0, 2_000).map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      {answer?.why === undefined ? null : <p className="small dim">{describe(answer.why, last?.score, limit)}</p>}
    </section>
  );
}

function describe(
  { standing, rank, reason, explanation }: Standing,
  lastScore: number | undefined,
  limit: number,
): string {
  const parts = scoreParts(explanation)
    .slice(0, 2)
    .map(({ label, value }) => `${label.toLowerCase()}: ${value.toFixed(2)}`)
    .join('; ');
  const score = explanation === undefined ? '' : `, score ${explanation.value.toFixed(2)}`;
  switch (standing) {
    case 'listed':
      return `It is found: rank ${rank}${score}. Mostly ${parts}.`;
    case 'below-limit': {
      const gap = lastScore === undefined ? '' : ` Place ${limit} has ${lastScore.toFixed(2)}.`;
      return `Rank ${rank}${score}.${gap} Mostly ${parts}.`;
    }
    case 'not-matched':
      return `Not ranked: ${reason}`;
    case 'not-allowed':
      return 'This key may not use the tool.';
    case 'not-in-catalog':
      return 'The catalog has no tool of this name.';
  }
}
