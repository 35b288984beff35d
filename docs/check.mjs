// `npm run docs -- check`: opens pages of the built site in a browser and looks for accessibility problems with axe,
// in a light and a dark theme and on a small screen. It fails on serious findings, on links to pages that don't exist, and on a
// page whose score is below 95. The score is the share of the rules that apply and pass, failures weighted by impact.
// Without names it opens every page.
//   npm run docs && npm run docs -- check
//   npm run docs -- check index.html guides/mcp.html
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium from '@sparticuz/chromium';
import axe from 'axe-core';
import { chromium as playwright } from 'playwright-core';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};
const site = fileURLToPath(new URL('.vitepress/dist/', import.meta.url));
if (!existsSync(site)) fail('The site is not built: run npm run docs first.');
const pages = process.argv.length > 2 ? process.argv.slice(2) : allPages();
const server = createServer(serve).listen(0, '127.0.0.1');
const browser = await launch();
const address = `http://127.0.0.1:${server.address().port}`;
const counts = { pages: 0, serious: 0, other: 0, errors: 0 };
const WEIGHTS = { critical: 10, serious: 7, moderate: 3, minor: 1 };
const LOWEST_SCORE = 95;
const scores = [];

checkLinks();
for (const view of [
  { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'light', viewport: { width: 390, height: 844 } },
]) {
  const context = await browser.newContext(view);
  for (const name of pages) await check(context, name, `${view.colorScheme}, ${view.viewport.width} wide`);
  await context.close();
}
await browser.close();
server.close();
console.log(
  `${counts.pages} views of ${pages.length} pages: ${counts.serious} serious findings, ${counts.other} others, ${counts.errors} errors.`,
);
const lowest = scores.toSorted((left, right) => left.score - right.score)[0];
console.log(`Lowest accessibility score: ${lowest.score.toFixed(1)} of 100 (${lowest.name}, ${lowest.view}).`);
process.exitCode = counts.serious + counts.errors > 0 || lowest.score < LOWEST_SCORE ? 1 : 0;

async function check(context, name, view) {
  const page = await context.newPage();
  page.on('pageerror', (error) => report('errors', `${name} (${view}): ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) report('errors', `${name} asks for ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) report('errors', `${name}: ${response.status()} for ${response.url()}`);
  });
  await page.goto(`${address}/${name}`);
  await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
  scores.push({ name, view, score: scoreOf(passes, violations) });
  for (const { id, impact, nodes, help } of violations) {
    const kind = impact === 'serious' || impact === 'critical' ? 'serious' : 'other';
    report(
      kind,
      `${name} (${view}): ${id}, ${impact}, ${nodes.length} times: ${help}: ${nodes[0]?.html.slice(0, 160)}`,
    );
  }
  counts.pages += 1;
  await page.close();
}

/** A rule that fails counts by its impact; one that passes, whose impact axe does not give, counts as moderate. */
function scoreOf(passes, violations) {
  const passed = passes.length * WEIGHTS.moderate;
  const failed = violations.reduce((sum, { impact }) => sum + (WEIGHTS[impact] ?? WEIGHTS.moderate), 0);
  return (100 * passed) / (passed + failed);
}

/** Every link of every page: the page exists, and has the heading. */
function checkLinks() {
  const texts = new Map(allPages().map((name) => [`/${name}`, readFileSync(join(site, name), 'utf8')]));
  const headings = new Map(
    [...texts].map(([name, text]) => [name, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  for (const [name, text] of texts) {
    for (const [, href] of text.matchAll(/<a[^>]* href="(?!https?:)([^"]+)"/g)) {
      const [path, anchor] = decodeURI(href).split('#');
      const target = headings.get(path === '' ? name : path.replace(/\/$/, '/index.html'));
      if (!target || (anchor && !target.has(anchor))) report('errors', `${name} links to ${href}, which is not there`);
    }
  }
}

function report(kind, text) {
  counts[kind] += 1;
  console.log(`${kind === 'other' ? '·' : '✗'} ${text}`);
}

function allPages() {
  return readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
}

function serve(request, response) {
  const path = decodeURIComponent(new URL(request.url, 'http://site').pathname);
  const file = join(site, path.endsWith('/') ? `${path}index.html` : path);
  if (!file.startsWith(site) || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
  createReadStream(file).pipe(response);
}

async function launch() {
  const own = process.env.CHROMIUM_PATH;
  if (own !== undefined) return playwright.launch({ executablePath: own });
  if (process.platform !== 'linux' || process.arch !== 'x64') return playwright.launch({ channel: 'chrome' });
  const args = chromium.args.filter((flag) => flag !== '--single-process');
  return playwright.launch({ executablePath: await chromium.executablePath(), args });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
