import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { addressOf, keepLinksInside } from './links.mjs';
import { nav, sidebar } from './navigation.mjs';

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
  markdown: {
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: addressOf },
    config: keepLinksInside,
  },
  vite: { plugins: [findVue()] },
  themeConfig: {
    search: { provider: 'local' },
    notFound: { linkLabel: 'Take me home' },
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
