import type { RequestRecord } from '@quartermaster/client';
import type { ReactNode } from 'react';
import { NetBar } from '../shell/net-bar.tsx';
import { clockTime, seconds, signed } from '../shell/numbers.ts';
import { ToolName } from '../shell/tool-name.tsx';
import { DECISIONS, type DetailView, keyOf } from './activity-state.ts';
import { RequestDetail } from './request-detail.tsx';
import { toolIds } from './tool-ids.ts';

/** One request as a line, which unfolds into all that is known about it. */
export function RequestRow(props: {
  readonly record: RequestRecord;
  /** The largest net on the screen, either way. */
  readonly most: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly show: DetailView | undefined;
  readonly onShow: (show: DetailView | undefined) => void;
}): ReactNode {
  const { record, most, isOpen, onToggle, show, onShow } = props;
  const { id, atMs, called, searches, refused, status, error, model = '', durationMs, tokens, decision } = record;
  const [query, ...otherQueries] = searches.flatMap((search) => search.queries ?? []);
  const [first, ...others] = called;
  const idOf = toolIds(record);
  const title =
    query ??
    (first === undefined ? undefined : idOf(first)) ??
    (decision === undefined ? record.route : `${record.route}, ${DECISIONS[decision]}`);
  return (
    <div className={`request${isOpen ? ' open' : ''}`}>
      <div className="request-line">
        <time className="faint" dateTime={new Date(atMs).toISOString()}>
          {clockTime(atMs)}
        </time>
        <div className="request-title">
          <button
            type="button"
            className="unfold"
            data-row-button=""
            aria-expanded={isOpen}
            aria-controls={`detail-${id}`}
            onClick={onToggle}
          >
            <span className="clamped" dir="auto">
              {title}
              {otherQueries.length === 0 ? null : <span className="faint"> +{otherQueries.length}</span>}
            </span>
          </button>
          <p className="faint small request-id">
            <span className="mono">{id}</span>
            <span className="phone-only">
              {' '}
              · {clockTime(atMs)}
              {keyOf(record) === '' ? '' : ` · ${keyOf(record)}`}
            </span>
          </p>
        </div>
        <div className="request-called">
          {status >= 400 ? <span className="tag bad">{status}</span> : null}
          {error === undefined ? null : <span className="loss small"> {error.replaceAll('_', ' ')}</span>}
          {searches.some(({ outcome }) => outcome === 'none') ? <span className="tag wait">no match</span> : null}
          {refused.length > 0 ? <span className="tag bad">refused</span> : null}
          {first === undefined ? null : <ToolName id={idOf(first)} />}
          {others.length === 0 ? null : <span className="faint"> +{others.length}</span>}
        </div>
        <div className="request-model">
          {keyOf(record) === '' ? null : <p>{keyOf(record)}</p>}
          <p className="faint small">{model}</p>
        </div>
        <span className="right dim">
          <span className="hidden-text">took </span>
          {seconds(durationMs)}
        </span>
        <strong className={`right ${tokens !== undefined && tokens.net < 0 ? 'loss' : ''}`}>
          <span className="hidden-text">net </span>
          {tokens === undefined ? <span className="faint">–</span> : signed(tokens.net)}
        </strong>
        {tokens === undefined ? <span className="net-bar" /> : <NetBar net={tokens.net} most={most} />}
      </div>
      {isOpen ? <RequestDetail record={record} show={show} onShow={onShow} /> : null}
    </div>
  );
}
