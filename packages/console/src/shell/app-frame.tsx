import type { Server } from '@quartermaster/client';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Activity, KeyRound, Moon, Scale, Search, Server as ServerIcon, Sun } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { hasKey } from '../api/gateway.ts';
import { countWaiting, useServers } from '../servers/use-servers.ts';
import { KEY_WANTED } from './ask-for-key.ts';
import { Button } from './button.tsx';
import { LinkNotice } from './copy-button.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { currentTheme, toggleTheme } from './theme.ts';
import { type LostGateway, useGatewayLost } from './use-gateway-lost.ts';
import { useKeyRefused } from './use-key-refused.ts';
import { useShortcuts } from './use-shortcuts.ts';

const SCREENS = [
  { to: '/playground', name: 'Playground', Icon: Search },
  { to: '/activity', name: 'Activity', Icon: Activity },
  { to: '/servers', name: 'Servers', Icon: ServerIcon },
  { to: '/savings', name: 'Savings', Icon: Scale },
] as const;

export function AppFrame(): ReactNode {
  const [theme, setTheme] = useState(currentTheme);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isKeyOpen, setKeyOpen] = useState(false);
  const navigate = useNavigate();
  const refused = useKeyRefused();
  const { data: servers } = useServers();
  const waiting = countWaiting(servers?.data ?? []);
  const lost = useGatewayLost();
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  const screen = SCREENS.find(({ to }) => path.startsWith(to))?.name;
  useEffect(() => {
    document.title = screen === undefined ? 'Quartermaster' : `${screen} · Quartermaster`;
  }, [screen]);
  useEffect(() => {
    const open = (): void => setKeyOpen(true);
    addEventListener(KEY_WANTED, open);
    return () => removeEventListener(KEY_WANTED, open);
  }, []);

  useShortcuts({
    '?': () => setHelpOpen(true),
    '/': (event) => {
      event.preventDefault();
      document.querySelector<HTMLInputElement>('[data-screen-search]')?.focus();
    },
    'g a': () => void navigate({ to: '/activity', search: {} }),
    'g s': () => void navigate({ to: '/servers', search: {} }),
    'g k': () => void navigate({ to: '/savings', search: {} }),
    'g p': () => void navigate({ to: '/playground', search: {} }),
  });

  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Link to="/playground" search={{}} className="brand">
          <img src="/favicon.svg" alt="" width="22" height="22" />
          Quartermaster
        </Link>
        <nav className="nav" aria-label="Screens">
          {SCREENS.map(({ to, name, Icon }) => (
            <Link key={to} to={to} search={{}} activeOptions={{ includeSearch: false }}>
              <Icon size={16} aria-hidden="true" />
              {name}
              {to === '/servers' && waiting > 0 ? (
                <span className="count">
                  {waiting}
                  <span className="hidden-text"> waiting for you</span>
                </span>
              ) : null}
            </Link>
          ))}
        </nav>
        <div className="end">
          <Ready servers={servers?.data ?? []} />
          <span className="address">{location.host}</span>
          {hasKey() ? (
            <Button
              look="ghost icon"
              aria-label="Use another key"
              title="Use another key"
              onClick={() => setKeyOpen(true)}
            >
              <KeyRound size={16} aria-hidden="true" />
            </Button>
          ) : null}
          <Button
            look="ghost icon"
            aria-label={theme === 'dark' ? 'Use the light theme' : 'Use the dark theme'}
            onClick={() => setTheme(toggleTheme())}
          >
            {theme === 'dark' ? <Sun size={16} aria-hidden="true" /> : <Moon size={16} aria-hidden="true" />}
          </Button>
          <Button look="ghost help" aria-label="Keyboard shortcuts" onClick={() => setHelpOpen(true)}>
            <kbd>?</kbd>
          </Button>
        </div>
      </header>
      {lost.seconds === undefined ? null : <Lost {...lost} />}
      <main id="main" className={`page${lost.seconds === undefined ? '' : ' stale'}`}>
        <Outlet />
      </main>
      <LinkNotice />
      <ShortcutsDialog isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
      <KeyDialog isOpen={refused !== undefined || isKeyOpen} refused={refused} onClose={() => setKeyOpen(false)} />
    </>
  );
}

/** What is on the screen stays, dimmed. Only the first notice is read out, not every second of the countdown. */
function Lost({ seconds = 0, retry }: LostGateway): ReactNode {
  return (
    <div className="lost">
      <p role="status">Lost the gateway.</p>
      <p aria-hidden="true">{seconds === 0 ? 'Trying again.' : `Trying again in ${seconds} s.`}</p>
      <Button onClick={retry}>Retry now</Button>
    </div>
  );
}

/** How many servers can be called, where there are any. An idle one starts with its first call. */
function Ready({ servers }: { readonly servers: readonly Server[] }): ReactNode {
  if (servers.length === 0) return null;
  const ready = servers.filter(({ state }) => state === 'ready' || state === 'idle').length;
  return (
    <Link to="/servers" search={{}} className="ready">
      <i className={ready === servers.length ? 'dot' : 'diamond'} aria-hidden="true" />
      {ready} of {servers.length} {servers.length === 1 ? 'server' : 'servers'} ready
    </Link>
  );
}
