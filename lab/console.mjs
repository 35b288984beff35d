// The console in a real Chromium with a catalog of 10,000 tools: listed, filtered, sorted, unfolded and searched. No task of the page
// may take longer than 50 ms, and the first paint may take a second at most.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { streamTools } from '../bench/synthesise-tools.mjs';

const MOST_TASK_MS = 50;
const MOST_PAINT_MS = 1_000;
const TOOLS = 10_000;
/** Longer than a person takes from key to key would hide work that piles up. */
const KEY_MS = 80;
/** What follows a step belongs to it. */
const REST_MS = 1_500;
const BIN = fileURLToPath(new URL('../packages/cli/bin/quartermaster.js', import.meta.url));

/**
 * `npm run lab -- console [THROTTLE]`: THROTTLE slows the page's thread down by so many times, and fails nothing. Times on the wall
 * mean something on an idle machine alone; the CPU time of the longest task is printed beside them.
 */
export async function run([throttle = '1']) {
  const rate = Number(throttle);
  if (!(rate >= 1)) return [`"${throttle}" is not a number from 1 up`];
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-console-'));
  const gateway = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--log', 'none'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let browser;
  try {
    const url = await addressOf(gateway);
    const response = await fetch(`${url}/v1/catalogs/many`, {
      method: 'PUT',
      body: JSON.stringify([...streamTools(TOOLS)].flat()),
    });
    if (response.status !== 201) return [`the catalog was not accepted: ${await response.text()}`];
    // What the gateway builds at first use is no work of the page.
    await fetch(`${url}/v1/catalogs/many/tools`).then((answer) => answer.text());
    await search(url, 'create a report');
    browser = await launch();
    return await measure(browser, url, rate);
  } finally {
    await browser?.close();
    gateway.kill();
    await new Promise((resolve) => gateway.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(browser, url, rate) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  if (rate > 1) await (await page.context().newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate });
  await page.addInitScript(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) =>
      globalThis.longTasks.push(...list.getEntries().map((entry) => entry.duration)),
    ).observe({ type: 'longtask', buffered: true });
  });
  const filter = page.getByLabel('Filter by server or tool');
  const press = async (keys) => {
    for (const key of keys) {
      await page.keyboard.press(key);
      await pause(KEY_MS);
    }
  };
  const steps = {
    'opens the list of tools': async () => {
      await page.goto(`${url}/servers?catalog=many&view=tools`);
      await page.locator('.tool-row').nth(5).waitFor();
    },
    'filters it, key by key': async () => {
      await filter.focus();
      await press([...'report']);
    },
    'clears the filter, key by key': () => press(Array.from({ length: 6 }, () => 'Backspace')),
    'sorts it by each column': async () => {
      for (const name of ['Name', 'Calls', 'Findings', 'Tokens']) {
        await page.locator('.tool-row.head').getByRole('button', { name }).click();
        await pause(500);
      }
    },
    'scrolls to its end': async () => {
      for (let part = 1; part <= 20; part += 1) {
        await page.evaluate((share) => scrollTo(0, share * document.body.scrollHeight), part / 20);
        await pause(100);
      }
    },
    'goes back to the servers and unfolds one': async () => {
      await page.evaluate(() => scrollTo(0, 0));
      await page.getByRole('button', { name: /^Servers \d/ }).click();
      await page.locator('[data-server] .unfold').first().click();
      await page.locator('.tool-row.inner').first().waitFor();
    },
    'searches them in the playground, key by key': async () => {
      await page.goto(`${url}/playground?catalog=many`);
      await page.getByLabel('What should the tool do?').focus();
      await press([...'create a report']);
      await page.locator('.result').first().waitFor();
    },
  };
  const problems = [];
  const rows = [];
  for (const [name, act] of Object.entries(steps)) {
    await page.evaluate(() => globalThis.longTasks?.splice(0)).catch(() => undefined);
    await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
    await act();
    await pause(REST_MS);
    const cpuMs = longestTask(await browser.stopTracing());
    const wallMs = await page.evaluate(() => globalThis.longTasks.splice(0));
    const longest = Math.max(0, ...wallMs);
    if (rate === 1 && longest > MOST_TASK_MS) problems.push(`${name}: a task of ${Math.round(longest)} ms`);
    rows.push({
      step: name,
      'tasks over 50 ms': wallMs.length,
      'longest of them, ms': Math.round(longest),
      'most CPU of a task, ms': cpuMs,
    });
  }
  console.table(rows);
  const paintMs = await firstPaint(browser, url);
  console.log(`First contentful paint of the playground: ${Math.round(paintMs)} ms`);
  if (rate === 1 && !(paintMs <= MOST_PAINT_MS)) problems.push(`the first paint took ${Math.round(paintMs)} ms`);
  return problems;
}

/** In a context without a cache. */
async function firstPaint(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(url);
  await page.getByRole('button', { name: 'give the customer their money back' }).waitFor();
  return page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
}

/** The CPU time of the longest task of the page's main thread, in milliseconds. */
function longestTask(trace) {
  const { traceEvents } = JSON.parse(trace.toString('utf8'));
  const mains = new Set();
  for (const { name, args, pid, tid } of traceEvents) {
    if (name === 'thread_name' && args.name === 'CrRendererMain') mains.add(`${pid} ${tid}`);
  }
  let longest = 0;
  for (const { name, tdur = 0, pid, tid } of traceEvents) {
    if (name.endsWith('RunTask') && mains.has(`${pid} ${tid}`)) longest = Math.max(longest, tdur);
  }
  return Math.round(longest / 100) / 10;
}

async function search(url, query) {
  await fetch(`${url}/v1/catalogs/many/search`, { method: 'POST', body: JSON.stringify({ query }) }).then((answer) =>
    answer.text(),
  );
}

async function addressOf(child) {
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    const address = /http:\/\/127[\w.:]+/.exec(text)?.[0];
    if (address !== undefined) {
      child.stdout.resume();
      return address;
    }
  }
  throw new Error('the gateway did not start');
}

/** The browser of the command line's tests. */
async function launch() {
  const require = createRequire(new URL('../packages/cli/package.json', import.meta.url));
  const { chromium } = require('playwright-core');
  if (process.env.CHROMIUM_PATH !== undefined) return chromium.launch({ executablePath: process.env.CHROMIUM_PATH });
  const { default: packaged } = await import(require.resolve('@sparticuz/chromium'));
  const args = packaged.args.filter((flag) => flag !== '--single-process');
  return chromium.launch({ executablePath: await packaged.executablePath(), args });
}
