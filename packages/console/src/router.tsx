import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { PlaygroundPage } from './playground/playground-page.tsx';
import { readPlaygroundState } from './playground/playground-state.ts';
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

export const router = createRouter({ routeTree: root.addChildren([index, playground]) });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
