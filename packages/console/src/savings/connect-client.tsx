import { Link } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { CLIENTS } from './clients.ts';

/** What to paste to put this gateway in front of a model, for each client. */
export function ConnectClient(props: {
  readonly secret: string | undefined;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}): ReactNode {
  const { secret, onChoose } = props;
  const [copied, setCopied] = useState<'yes' | 'refused'>();
  const client = CLIENTS.find(({ id }) => id === props.chosen) ?? CLIENTS[0];
  const text = client?.lines(location.origin, secret ?? '$QUARTERMASTER_KEY') ?? '';
  const copy = async (): Promise<void> => {
    setCopied(
      await navigator.clipboard.writeText(text).then(
        () => 'yes' as const,
        () => 'refused' as const,
      ),
    );
    setTimeout(() => setCopied(undefined), 2_000);
  };
  return (
    <section className="section" id="connect" aria-labelledby="connect-title">
      <h2 id="connect-title">
        Connect a client <span className="faint small">the key is filled in once, right after you create it</span>
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
            <button type="button" className="button" onClick={() => void copy()}>
              <Copy size={14} aria-hidden="true" />{' '}
              {copied === 'yes' ? 'Copied' : copied === 'refused' ? 'Select the text yourself' : 'Copy'}
            </button>
          </div>
          <p className="dim small connect-note">
            {client?.place === undefined ? '' : `In ${client.place}. `}Its first request appears in{' '}
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
