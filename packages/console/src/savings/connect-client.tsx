import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { hasKey } from '../api/gateway.ts';
import { useKeys } from '../keys/keys-panel.tsx';
import { CopyButton } from '../shell/copy-button.tsx';
import { CLIENTS, NO_KEY } from './clients.ts';

/** What to paste to put this gateway in front of a model, for each client. */
export function ConnectClient(props: {
  readonly secret: string | undefined;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}): ReactNode {
  const { secret, onChoose } = props;
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
            {client?.place === undefined ? '' : `In ${client.place}. `}The first request appears in{' '}
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
