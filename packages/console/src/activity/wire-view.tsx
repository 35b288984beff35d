import type { WireRound } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { gateway } from '../api/gateway.ts';
import { clockTime, plain } from '../shell/numbers.ts';
import { RawText } from '../shell/raw-text.tsx';
import { readJson } from '../shell/read-json.ts';
import { readModelView } from './model-view.ts';

/** What was sent to the model and what came back, round by round. Held only where the settings say `insight.wire`. */
export function WireView({ id, show }: { readonly id: string; readonly show: 'model' | 'wire' }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['wire', id],
    queryFn: ({ signal }) => gateway.request('GET /v1/activity/{id}/wire', { path: { id }, signal }),
    staleTime: Infinity,
    retry: false,
  });
  if (error !== null) {
    return (
      <p className="dim small" role="status">
        {error.message}.
      </p>
    );
  }
  return (
    <ol className="rounds">
      {(data?.data ?? []).map((round, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rounds keep their order, and two can begin in one millisecond
        <li key={index}>
          <h3>
            Round {index + 1}{' '}
            <span className="faint">
              {[round.dialect, round.model, clockTime(round.atMs), round.isCut ? 'cut at 1 MiB' : '']
                .filter((part) => part !== '')
                .join(', ')}
            </span>
          </h3>
          {show === 'model' ? (
            <Seen round={round} place={`round ${index + 1}`} />
          ) : (
            <Raw round={round} place={`round ${index + 1}`} />
          )}
        </li>
      ))}
    </ol>
  );
}

interface RoundProps {
  readonly round: WireRound;
  /** Which of them it is: each box has a name of its own. */
  readonly place: string;
}

function Seen({ round, place }: RoundProps): ReactNode {
  const view = readModelView(round.request);
  if (view === undefined) return <p className="dim small">The request is too long to be shown in parts.</p>;
  return (
    <>
      <h4>System text</h4>
      {view.system === '' ? (
        <p className="faint small">none</p>
      ) : (
        <RawText label={`System text of ${place}`}>{view.system}</RawText>
      )}
      <h4>
        Tools <span className="faint">{plain(view.tools.length)}</span>
      </h4>
      <ul className="seen-tools">
        {view.tools.slice(0, MOST_TOOLS).map(({ name, description }) => (
          <li key={name}>
            <span className="tool">{name}</span> <span className="dim small">{description}</span>
          </li>
        ))}
      </ul>
      {view.tools.length > MOST_TOOLS ? (
        <p className="faint small">and {plain(view.tools.length - MOST_TOOLS)} more, in the raw wire</p>
      ) : null}
      <p className="faint small">
        {view.messages === 1 ? '1 message follows.' : `${plain(view.messages)} messages follow.`}
      </p>
    </>
  );
}

const MOST_TOOLS = 100;

function Raw({ round, place }: RoundProps): ReactNode {
  return (
    <>
      <h4>Request</h4>
      <RawText label={`Request of ${place}`}>{pretty(round.request)}</RawText>
      <h4>Response</h4>
      <RawText label={`Response of ${place}`}>{pretty(round.response)}</RawText>
      {round.error === undefined ? null : <p className="loss small">{round.error}</p>}
    </>
  );
}

/** Indented where it is one JSON value; a stream stays one part a line. */
function pretty(text: string): string {
  return JSON.stringify(readJson(text), undefined, 2) ?? text;
}
