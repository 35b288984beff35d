import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { readActivityState } from './activity/activity-state.ts';
import { PlaygroundPage } from './playground/playground-page.tsx';
import { readPlaygroundState } from './playground/playground-state.ts';
import { readSavingsState } from './savings/savings-state.ts';
import { readServersState } from './servers/servers-state.ts';
import { AppFrame } from './shell/app-frame.tsx';

const root = createRootRoute({ component: AppFrame });

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/playground', search: {} });
  },
});

const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: readPlaygroundState,
  component: PlaygroundPage,
});

const activity = createRoute({
  getParentRoute: () => root,
  path: '/activity',
  validateSearch: readActivityState,
  component: lazyRouteComponent(() => import('./activity/activity-page.tsx'), 'ActivityPage'),
});

/** One request, unfolded in the list: the screen stays, and reads the path. */
const request = createRoute({ getParentRoute: () => activity, path: '$id' });

const servers = createRoute({
  getParentRoute: () => root,
  path: '/servers',
  validateSearch: readServersState,
  component: lazyRouteComponent(() => import('./servers/servers-page.tsx'), 'ServersPage'),
});

/** One server, or one tool of it, unfolded. Names of tools may hold slashes. */
const server = createRoute({ getParentRoute: () => servers, path: '$server' });
const tool = createRoute({ getParentRoute: () => servers, path: '$server/$' });

const savings = createRoute({
  getParentRoute: () => root,
  path: '/savings',
  validateSearch: readSavingsState,
  component: lazyRouteComponent(() => import('./savings/savings-page.tsx'), 'SavingsPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    index,
    playground,
    activity.addChildren([request]),
    servers.addChildren([server, tool]),
    savings,
  ]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
