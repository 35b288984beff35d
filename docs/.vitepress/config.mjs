import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { colorCommands, showLanding, skipIntroduction } from './landing.mjs';
import { addressOf, keepLinksInside } from './links.mjs';
import { nav, sidebar } from './navigation.mjs';

/** The console's, inline: the site has no folder for files that are copied as they are. */
const drawing = readFileSync(new URL('../../packages/console/public/favicon.svg', import.meta.url), 'utf8');
const icon = `data:image/svg+xml,${encodeURIComponent(drawing.trim())}`;

// The source folder is the repository, so that README files beside the code are pages too.
export default defineConfig({
  title: 'Quartermaster',
  description: 'Tool search for any language model.',
  lang: 'en',
  srcDir: '..',
  srcExclude: [
    '**/node_modules/**',
    '**/dist/**',
    'packages/!(semantic)/**',
    'packages/semantic/!(training)/**',
    'packages/semantic/*.md',
    '.github/**',
    '.changeset/**',
    'README.md',
    'CODE_OF_CONDUCT.md',
  ],
  rewrites: (page) => page.replace(/^docs\//, ''),
  outDir: './.vitepress/dist',
  cacheDir: './.vitepress/cache',
  cleanUrls: false,
  lastUpdated: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: icon }]],
  markdown: {
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: addressOf },
    config: (markdown) => markdown.use(keepLinksInside).use(skipIntroduction).use(colorCommands),
  },
  transformPageData: showLanding,
  // Drawings stay files, so that the style sheet can tell them by their names.
  vite: { plugins: [findVue()], build: { assetsInlineLimit: 0 } },
  themeConfig: {
    logo: { src: icon, alt: '' },
    search: { provider: 'local' },
    notFound: {
      title: 'Page not found',
      quote: 'The page may have moved. Search for it, or start from the first page.',
      linkText: 'First page',
      linkLabel: 'First page',
    },
    outline: { level: [2, 3] },
    nav,
    sidebar,
  },
});

/** Pages outside docs/ get the site's own Vue: as if they imported it from here. */
function findVue() {
  const here = fileURLToPath(new URL('../index.md', import.meta.url));
  return {
    name: 'find-vue',
    enforce: 'pre',
    resolveId(id, _importer, { ssr }) {
      if (!/^vue(\/|$)/.test(id)) return;
      return ssr ? { id, external: true } : this.resolve(id, here, { skipSelf: true });
    },
  };
}
