import type { SearchAnswer, SearchHit, Standing as Why } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { largestGap, showScore } from './score-parts.ts';

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
      {answer?.why === undefined ? null : <Standing why={answer.why} last={last} limit={limit} />}
    </section>
  );
}

/** Where the tool stands, and what it lacks most beside the last one that is found. */
function Standing(props: {
  readonly why: Why;
  readonly last: SearchHit | undefined;
  readonly limit: number;
}): ReactNode {
  const { why, last, limit } = props;
  const { standing, rank, reason, explanation } = why;
  const score = explanation === undefined ? '' : `, score ${showScore(explanation.value)}`;
  switch (standing) {
    case 'listed':
    case 'below-limit': {
      const isListed = standing === 'listed';
      const gap = isListed ? undefined : largestGap(last?.explanation, explanation);
      return (
        <p className="small dim">
          <strong>
            {isListed ? 'It is found: rank' : 'Rank'} {rank}
            {score}.
          </strong>{' '}
          {isListed || last === undefined ? '' : `Place ${limit} has ${showScore(last.score)}. `}
          {gap === undefined
            ? ''
            : `Most of the gap is ${gap.label.toLowerCase()}: ${gap.own.toFixed(2)} against ${gap.other.toFixed(2)}.`}
        </p>
      );
    }
    case 'not-matched':
      return <p className="small dim">Not ranked: {reason}</p>;
    case 'not-allowed':
      return <p className="small dim">This key may not use the tool.</p>;
    case 'not-in-catalog':
      return <p className="small dim">The catalog has no tool of this name.</p>;
  }
}
