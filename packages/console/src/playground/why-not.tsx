import type { SearchAnswer, SearchHit, Standing as Why } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { useServers } from '../servers/use-servers.ts';
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
  const [text, setText] = useState(why ?? '');
  useEffect(() => setText(why ?? ''), [why]);
  const ask = (tool: string): void => {
    if (tool !== (why ?? '')) onWhy(tool === '' ? undefined : tool);
  };
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
          value={text}
          onFocus={() => setAsked(true)}
          onChange={({ target: { value } }) => {
            setText(value);
            if (value === '' || ids.includes(value)) ask(value);
          }}
          // A name that is in no list has an answer, too.
          onBlur={() => ask(text.trim())}
          onKeyDown={({ key }) => {
            if (key === 'Enter') ask(text.trim());
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

/** A tool that is held back is in no catalog until somebody has looked at its new definition. */
function Missing({ tool }: { readonly tool: string }): ReactNode {
  const { data } = useServers();
  const change = data?.data.flatMap(({ changes }) => changes).find((one) => one.tool === tool && one.held);
  if (change === undefined) return <p className="small dim">The catalog has no tool of this name.</p>;
  return (
    <p className="small dim">
      <strong>Held back:</strong> its definition {change.is_new ? 'is new' : 'has changed'}, and no model gets it before
      it is accepted.{' '}
      <Link
        to="/servers/$server/$"
        params={{ server: change.server, _splat: tool.slice(change.server.length + 1) }}
        search={{ show: 'diff' }}
      >
        Full diff
      </Link>
    </p>
  );
}

/** Where the tool ranks, and what it lacks most compared with the last one that is found. */
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
      return <Missing tool={why.tool} />;
  }
}
