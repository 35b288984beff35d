import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { hasKey } from '../api/gateway.ts';
import type { MadeKey } from '../keys/create-key.tsx';
import { useKeys } from '../keys/keys-panel.tsx';
import { CopyButton } from '../shell/copy-button.tsx';
import { clockTime } from '../shell/numbers.ts';
import { CLIENTS, NO_KEY } from './clients.ts';

/** People wait for this with their client open. */
const WAITING_MS = 3_000;

/** Whether a key that was just made has been used. */
function FirstUse({ id }: { readonly id: string }): ReactNode {
  const [isUsed, setUsed] = useState(false);
  const { data } = useKeys(isUsed ? {} : { refetchInterval: WAITING_MS });
  const seen = data?.data.find((key) => key.id === id)?.last_used_at;
  useEffect(() => {
    if (seen !== undefined) setUsed(true);
  }, [seen]);
  return (
    <span role="status">
      {seen === undefined
        ? 'Waiting for the first request with this key. It appears here and in '
        : `The first request with this key came at ${clockTime(Date.parse(seen))}. It is in `}
    </span>
  );
}

/** What to paste to put this gateway in front of a model, for each client. */
export function ConnectClient(props: {
  /** The key that was just made here. */
  readonly made: MadeKey | undefined;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}): ReactNode {
  const { made, onChoose } = props;
  const secret = made?.secret;
  const client = CLIENTS.find(({ id }) => id === props.chosen) ?? CLIENTS[0];
  const { data: keys } = useKeys();
  const isOpen = !hasKey() && keys?.data.every(({ state }) => state === 'revoked') === true;
  const text = client?.lines(location.origin, secret ?? (isOpen ? NO_KEY : undefined)) ?? '';
  return (
    <section className="section" id="connect" aria-labelledby="connect-title">
      <h2 id="connect-title">
        Connect a client{' '}
        <span className="faint small">
          {isOpen ? 'no key is needed yet' : 'the key is filled in once, right after you create it'}
        </span>
      </h2>
      <div className="panel connect">
        <ul>
          {CLIENTS.map(({ id, name }) => (
            <li key={id}>
              <button type="button" aria-pressed={id === client?.id} onClick={() => onChoose(id)}>
                {name}
              </button>
            </li>
          ))}
        </ul>
        <div>
          <div className="connect-code">
            <pre>{text}</pre>
            <CopyButton key={text} text={text} />
          </div>
          <p className="dim small connect-note">
            {client?.place === undefined ? '' : `In ${client.place}. `}
            {made === undefined || made.isOwn ? 'The first request appears in ' : <FirstUse id={made.id} />}
            <Link to="/activity" search={{}}>
              Activity
            </Link>
            .
          </p>
        </div>
      </div>
    </section>
  );
}
