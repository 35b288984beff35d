// `npm run docs -- check`: opens pages of the built site in a browser and looks for accessibility problems with axe,
// in the light and the dark theme, on a desktop and a phone. It fails on serious findings, script errors, links to pages or
// headings that don't exist, requests to other hosts, pages wider than the screen, and a score below 95. The score is the share of the rules that apply and pass, failures weighted by impact.
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
import { listen } from '../scripts/listen.mjs';

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
const server = createServer(serve);
const browser = await launch();
const address = `http://127.0.0.1:${await listen(server)}`;
const counts = { views: 0, serious: 0, other: 0, errors: 0 };
const WEIGHTS = { critical: 10, serious: 7, moderate: 3, minor: 1 };
const LOWEST_SCORE = 95;
const scores = [];
const SCREENS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

checkLinks();
const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
let open = '';
page.on('pageerror', (error) => report('errors', `${open}: ${error.message}`));
page.on('console', (message) => {
  if (message.type() === 'error') report('errors', `${open}: ${message.text()}`);
});
page.on('request', (request) => {
  if (!request.url().startsWith(address)) report('errors', `${open} asks for ${request.url()}`);
});
page.on('response', (response) => {
  if (response.status() >= 400) report('errors', `${open}: ${response.status()} for ${response.url()}`);
});
await page.addInitScript(axe.source);
for (const [index, name] of pages.entries()) {
  open = name;
  // A whole run takes minutes.
  showProgress(`Page ${index + 1} of ${pages.length}: ${name}`);
  await check(name);
}
showProgress('');
await browser.close();
server.close();
console.log(
  `${counts.views} views of ${pages.length} pages: ${counts.serious} serious findings, ${counts.other} others, ${counts.errors} errors.`,
);
const lowest = scores.toSorted((left, right) => left.score - right.score)[0];
console.log(`Lowest accessibility score: ${lowest.score.toFixed(1)} of 100 (${lowest.name}, ${lowest.view}).`);
process.exitCode = counts.serious + counts.errors > 0 || lowest.score < LOWEST_SCORE ? 1 : 0;

/** Loads the page once. The dark theme changes only colours, so only the rules about colours run again in it. */
async function check(name) {
  await page.setViewportSize(SCREENS[0]);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${address}/${name}`);
  // The page for a missing address is drawn by a script. Where nothing comes, axe reports what is missing.
  await page.waitForSelector('main, [role=main]', { timeout: 5000 }).catch(() => undefined);
  for (const screen of SCREENS) {
    await page.setViewportSize(screen);
    await show('light');
    const light = await runAxe(name, `light, ${screen.width} wide`);
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - globalThis.innerWidth);
    if (sideways > 0) report('errors', `${name} is ${sideways} px wider than a screen of ${screen.width} px`);
    await show('dark');
    const others = ({ id }) => !COLOR_RULES.includes(id);
    await runAxe(
      name,
      `dark, ${screen.width} wide`,
      { runOnly: COLOR_RULES },
      light.passes.filter(others),
      light.violations.filter(others),
    );
  }
}

async function show(colorScheme) {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(
    (dark) => document.documentElement.classList.contains('dark') === dark,
    colorScheme === 'dark',
  );
}

async function runAxe(name, view, options = {}, knownPasses = [], knownViolations = []) {
  const found = await page.evaluate(async (chosen) => {
    const { passes, violations } = await globalThis.axe.run({
      ...chosen,
      resultTypes: ['violations'],
      selectors: false,
    });
    return {
      passes: passes.map(({ id }) => ({ id })),
      violations: violations.map(({ id, impact, help, nodes }) => ({
        id,
        impact,
        help,
        count: nodes.length,
        html: nodes[0]?.html,
      })),
    };
  }, options);
  for (const { id, impact, count, help, html } of found.violations) {
    const kind = impact === 'serious' || impact === 'critical' ? 'serious' : 'other';
    report(kind, `${name} (${view}): ${id}, ${impact}, ${count} times: ${help}: ${html?.slice(0, 160)}`);
  }
  const passes = [...knownPasses, ...found.passes];
  const violations = [...knownViolations, ...found.violations];
  scores.push({ name, view, score: scoreOf(passes, violations) });
  counts.views += 1;
  return { passes, violations };
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

function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

function report(kind, text) {
  showProgress('');
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
