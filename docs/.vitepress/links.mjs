import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Documents link to each other, and to sources, as files of the repository. On the site, a link to a page becomes its
 * address, and a link to any other file becomes plain text: the file is not part of the site.
 */
export function keepLinksInside(markdown) {
  markdown.core.ruler.push('links-inside', ({ tokens, env }) => {
    for (const { children } of tokens) if (children) rewrite(children, dirname(env.realPath ?? env.path));
  });
}

/** The address of a heading, as GitHub makes it: links work in the repository and on the site. */
export function addressOf(title) {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function rewrite(tokens, folder) {
  let isRemoved = false;
  for (const token of tokens) {
    if (token.type === 'link_close' && isRemoved) {
      isRemoved = false;
      becomeText(token);
    }
    const href = token.type === 'link_open' ? token.attrGet('href') : undefined;
    if (!href || /^([a-z]+:|#)/i.test(href)) continue;
    const page = pageOf(href, folder);
    if (page !== undefined) token.attrSet('href', page);
    else {
      isRemoved = true;
      becomeText(token);
    }
  }
}

function becomeText(token) {
  Object.assign(token, { type: 'text', tag: '', nesting: 0, content: '', attrs: null });
}

function pageOf(href, folder) {
  const [path, anchor] = href.split('#');
  const file = relative(root, join(folder, decodeURI(path)));
  if (file === 'README.md') return '/';
  if (!file.endsWith('.md') || !existsSync(join(root, file)) || !PAGES.test(file)) return undefined;
  return `/${file.replace(/^docs\//, '').replace(/\.md$/, '.html')}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** What the site is made of; `srcExclude` in the configuration leaves out the same. */
const PAGES =
  /^(docs\/|(ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md|(bench|deploy|eval|examples)\/|packages\/semantic\/training\/)/;
