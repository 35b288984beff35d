import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import { ApiFailure } from '@quartermaster/client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './router.tsx';
import { startTheme } from './shell/theme.ts';

startTheme();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays a refusal; a gateway that is away comes back.
      retry: (_, error) => error instanceof ApiFailure && error.status === 0,
      retryDelay: 3_000,
      refetchOnWindowFocus: false,
    },
  },
});

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
