import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from 'hono';
import type { Api } from '../api/index.ts';
import type { Services } from './services.ts';

/** The console's files, read once: nothing else can be requested, whatever a path says. */
export function mountConsoleRoutes({ app }: Api, { console: folder }: Services): void {
  const files = folder === undefined ? new Map<string, Asset>() : readAssets(fileURLToPath(folder));
  const page = files.get('/index.html');
  const showPage = (context: Context): Response | undefined => {
    const wantsHtml = context.req.header('accept')?.includes('text/html') === true;
    if (page === undefined || !wantsHtml) return undefined;
    return new Response(page.bytes, { headers: { ...PAGE_HEADERS, 'content-type': page.type } });
  };
  // Some clients check whether anything is there before the first call.
  app.get('/', (context) => showPage(context) ?? context.text('Quartermaster gateway\n'));
  for (const path of SCREENS) {
    app.get(path, async (context, next) => showPage(context) ?? next());
    app.get(`${path}/*`, async (context, next) => showPage(context) ?? next());
  }
  for (const [path, { bytes, type }] of files) {
    if (path === '/index.html') continue;
    const lasts = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    app.get(
      path,
      () => new Response(bytes, { headers: { ...ASSET_HEADERS, 'content-type': type, 'cache-control': lasts } }),
    );
  }
}

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Paths that the page itself routes. */
const SCREENS = ['/playground', '/activity', '/servers', '/savings'];

export const ASSET_HEADERS: Readonly<Record<string, string>> = { 'x-content-type-options': 'nosniff' };

/** The page may connect only to this gateway, and no other page may frame it. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...ASSET_HEADERS,
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Empty if the page has not been built. */
function readAssets(folder: string): ReadonlyMap<string, Asset> {
  let names: readonly string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return new Map();
  }
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[extname(name)];
      const path = `/${name.replaceAll('\\', '/')}`;
      return type === undefined
        ? []
        : [[path, { bytes: new Uint8Array(readFileSync(join(folder, name))), type }] as const];
    }),
  );
}
