import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run dev -w @quartermaster/console` serves the page with reloading, in front of a gateway on its usual port. */
export default defineConfig({
  plugins: [react()],
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { '/v1': 'http://127.0.0.1:8787' } },
});
