import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startCommand, temporaryFolder } from '../serving/running-command.fixture.ts';
import { launchBrowser } from './browser.fixture.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 120_000);
afterAll(() => browser.close());

/** The real program with the sample catalog, and a page that fails the test on any error of its own. */
async function openConsole(path: string, options: { width?: number; scheme?: 'light' | 'dark' } = {}) {
  const command = startCommand(['serve', '--port', '0', '--log', 'none'], { cwd: temporaryFolder() });
  const url = /http:\/\/[\w.:]+/.exec(await command.until('Ctrl+C'))?.[0] ?? '';
  const { width = 1280, scheme = 'light' } = options;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  const errors: string[] = [];
  const foreign: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) foreign.push(request.url());
  });
  onTestFinished(() => context.close());
  await page.goto(url + path);
  return { page, url, errors, foreign };
}

async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: inPage } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
    };
    return (await inPage.run()).violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes[0]?.html }));
  });
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map((each) => JSON.stringify(each));
}

/** A browser, a gateway and a test share the machine: long enough for all of them. */
const SOON = { timeout: 20_000 };

function rankOf(page: Page, tool: string): Promise<string | null> {
  return page.locator(`[data-row="${tool}"] > .rank`).textContent();
}

const QUERY = '/playground?q=give+the+customer+his+money+back';

describe('the playground', () => {
  it('opens on the sample catalog, and an example finds tools', async () => {
    const { page, errors, foreign } = await openConsole('/');
    await page.getByText('This is the sample catalog: 468 tools').waitFor();
    await page.getByRole('button', { name: 'give the customer his money back' }).click();
    await page.getByText('Match', { exact: true }).waitFor();
    const names = await page.locator('.results .tool').allTextContents();
    expect(names.slice(0, 5)).toContain('stripe/refunds.create');
    expect(new URL(page.url()).searchParams.get('q')).toBe('give the customer his money back');
    expect(errors).toEqual([]);
    expect(foreign).toEqual([]);
  });

  it('takes a score apart, and its parts add up', async () => {
    const { page } = await openConsole(`${QUERY}&tool=stripe/refunds.create`);
    const parts = page.locator('.parts');
    await parts.waitFor();
    const values = (await parts.locator('dd.right').allTextContents()).map(Number);
    const total = values.at(-1) ?? Number.NaN;
    expect(values.slice(0, -1).reduce((sum, value) => sum + value, 0)).toBeCloseTo(total, 1);
  });

  it('says why a tool is not found, and shows what a better description would do', async () => {
    const { page } = await openConsole(`${QUERY}&tool=stripe/refunds.create&why=stripe/payments.release`);
    await page.getByText(/^Rank \d+, score [\d.]+\. Place 5 has/).waitFor();
    const before = await rankOf(page, 'stripe/refunds.create');
    await page.getByLabel('Description').fill('Give a customer their money back: refund a payment.');
    await page.getByText('draft, only in this tab').waitFor();
    await expect.poll(() => rankOf(page, 'stripe/refunds.create'), SOON).toBe('1');
    expect(before).not.toBe('1');
    await page.getByText(/^Lost: /).waitFor({ timeout: 20_000 });
  });

  it('saves a search as a case, which outlasts the page', async () => {
    const { page } = await openConsole(QUERY);
    const cases = page.locator('.evaluation th').first();
    await page.getByText(/^\d+ cases$/).waitFor();
    const before = Number.parseInt((await cases.textContent()) ?? '', 10);
    await page.getByRole('button', { name: 'Save search as case' }).click();
    await page.getByRole('button', { name: 'Saved as a case' }).waitFor();
    await page.reload();
    await expect.poll(async () => Number.parseInt((await cases.textContent()) ?? '', 10), SOON).toBe(before + 1);
  });

  it('is used by keyboard alone', async () => {
    const { page } = await openConsole('/playground');
    await page.getByText('This is the sample catalog').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('weather alerts for a city');
    await page.locator('.result').first().waitFor();
    await page.locator('.results-head').click();
    await page.keyboard.press('j');
    await expect.poll(() => page.locator('.result.open').count(), SOON).toBe(1);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  });

  it('reports that nothing fits', async () => {
    const { page } = await openConsole('/playground?q=qwxz+vbnm+plokij');
    await page.getByText('No match', { exact: true }).waitFor();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const)('has no serious accessibility finding: %s, %i px', async (scheme, width) => {
    const { page } = await openConsole(`${QUERY}&tool=stripe/refunds.create`, { scheme, width });
    await page.locator('.parts').waitFor();
    await page.getByText(/^\d+ cases$/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
});

const MESSAGE = {
  model: 'rehearsal',
  max_tokens: 1024,
  tools: [
    { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
    { type: 'quartermaster_catalog', name: 'sample', defer_loading: true },
  ],
  messages: [{ role: 'user', content: 'Are there weather alerts for Oslo?' }],
};

async function askModel(url: string): Promise<string> {
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(MESSAGE) });
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('request-id') ?? '';
}

describe('activity', () => {
  it('teaches how to begin, and then shows a request live, whole, with its net', async () => {
    const { page, url, errors } = await openConsole('/activity');
    await page.getByText('No requests yet').waitFor();
    await page.getByText('● live').waitFor();
    const id = await askModel(url);
    await page.getByText(id).waitFor();
    await page.getByRole('button', { name: 'weather__get_weather_alerts' }).click();
    await page.getByText('Tokens for this request, against everything inline').waitFor();
    await page.getByText(/^\+[\d,]+ tokens$/).waitFor();
    await page.getByText(/^Break-even: [\d,]+ tokens of definitions\.$/).waitFor();
    expect(await page.locator('.found .tag.ok').textContent()).toBe('called');
    expect(new URL(page.url()).searchParams.get('id')).toBe(id);
    expect(await seriousFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('filters by what went wrong', async () => {
    const { page, url } = await openConsole('/activity?view=failed');
    await askModel(url);
    await page.getByText('No request matches.').waitFor();
    await page.getByRole('button', { name: 'Requests', exact: true }).click();
    await page.getByRole('button', { name: 'weather__get_weather_alerts' }).waitFor();
  });
});

describe('savings', () => {
  it('adds up the requests, signed, and shows how to connect a client', async () => {
    const { page, url, errors } = await openConsole('/playground');
    await askModel(url);
    await page.goto(`${url}/savings`);
    await page.getByText('1 request so far').waitFor();
    const { total } = (await (await fetch(`${url}/v1/savings`)).json()) as { total: { net: number } };
    const net = `+${total.net.toLocaleString('en')}`;
    expect(await page.locator('.breakdown strong').first().textContent()).toBe(net);
    await page.getByRole('button', { name: 'curl' }).click();
    await page.getByText(`curl ${url}/v1/catalogs/sample/search`).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each(['/activity', '/savings'])('and activity fit a phone: %s', async (path) => {
    const { page, url } = await openConsole('/playground', { width: 390 });
    await askModel(url);
    await page.goto(url + path);
    await page
      .getByText(/1 requests?\b/)
      .first()
      .waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });
});

describe('pictures for the documents', () => {
  // With PICTURES=docs/images they are written there; otherwise it is only seen that they can be taken.
  it('are taken of the playground and of one request', async () => {
    const { page, url } = await openConsole(`${QUERY}&tool=stripe/refunds.create&why=stripe/payments.release`);
    const folder = process.env.PICTURES ?? temporaryFolder();
    await page.getByText(/^\d+ cases$/).waitFor(SOON);
    const playground = await page.screenshot({ path: join(folder, 'playground.png') });
    const id = await askModel(url);
    await page.goto(`${url}/activity?id=${id}`);
    await page.getByText('Tokens for this request, against everything inline').waitFor();
    const activity = await page.screenshot({ path: join(folder, 'activity.png') });
    expect(Math.min(playground.length, activity.length)).toBeGreaterThan(20_000);
  });
});

describe('the page', () => {
  it('forbids scripts, frames and connections of others', async () => {
    const { url } = await openConsole('/playground');
    const response = await fetch(url, { headers: { accept: 'text/html' } });
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await (await fetch(url)).text()).toBe('Quartermaster gateway\n');
    expect((await fetch(`${url}/assets/..%2f..%2fpackage.json`)).status).toBe(404);
  });
});
