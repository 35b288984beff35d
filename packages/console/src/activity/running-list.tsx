import type { RunningRequest } from '@quartermaster/client';
import { type ReactNode, useEffect, useState } from 'react';
import { clockTime, plain, seconds } from '../shell/numbers.ts';
import { DECISIONS, keyOf } from './activity-state.ts';

/** More would push away what has ended. */
const MOST_SHOWN = 10;

const STATES: Readonly<Record<RunningRequest['state'], string>> = {
  waiting: 'waiting for the model',
  searching: 'searching',
  calling: 'calling a tool',
  streaming: 'streaming',
};

/** Requests in progress, the latest first. Each becomes a row of the list below when it has ended. */
export function RunningList(props: {
  /** Those that run longest first. */
  readonly running: readonly RunningRequest[];
  /** How many there are, listed or not. */
  readonly total: number;
  /** How far the gateway's clock is ahead of the page's. */
  readonly aheadMs: number;
}): ReactNode {
  const { running, total, aheadMs } = props;
  const now = useNow(running.length > 0);
  if (running.length === 0) return null;
  const shown = running.slice(0, MOST_SHOWN).toReversed();
  return (
    <>
      <ul className="running" aria-label="In progress">
        {shown.map((request) => (
          <RunningRow key={request.id} request={request} elapsedMs={Math.max(0, now + aheadMs - request.atMs)} />
        ))}
      </ul>
      {total > shown.length ? (
        <p className="running-more faint small">{plain(total - shown.length)} more in progress</p>
      ) : null}
    </>
  );
}

function RunningRow(props: { readonly request: RunningRequest; readonly elapsedMs: number }): ReactNode {
  const { request, elapsedMs } = props;
  const { id, atMs, state, query, decision, route, model = '', rounds, searches } = request;
  const key = keyOf(request);
  return (
    <li className="request-line">
      <time className="faint" dateTime={new Date(atMs).toISOString()}>
        {clockTime(atMs)}
      </time>
      <div className="request-title">
        <p className="clamped" dir="auto">
          {query ?? (decision === undefined ? route : `${route}, ${DECISIONS[decision]}`)}
        </p>
        <p className="faint small request-id">
          <span className="mono">{id}</span>
          <span className="phone-only">
            {' '}
            · {clockTime(atMs)}
            {key === '' ? '' : ` · ${key}`}
          </span>
        </p>
      </div>
      <div className="request-called">
        <span className="tag">
          <i className="dot live" aria-hidden="true" /> {STATES[state]}
        </span>
        {searches === 0 ? null : (
          <p className="faint small">
            {searches} {searches === 1 ? 'search' : 'searches'}, round {rounds}
          </p>
        )}
      </div>
      <div className="request-model">
        {key === '' ? null : <p>{key}</p>}
        <p className="faint small">{model}</p>
      </div>
      <span className="right dim">{seconds(elapsedMs)}</span>
      <strong className="right faint" title="Known when the request has ended">
        …
      </strong>
      <span className="net-bar" />
    </li>
  );
}

/** The page's clock, twice a second while something runs. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}

const TICK_MS = 500;
