import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/**
 * A real Chromium. On Linux it comes out of an npm package, so that nothing has to be installed; elsewhere, or with
 * `CHROMIUM_PATH`, it is the one of the machine.
 */
export async function launchBrowser(): Promise<Browser> {
  const own = process.env.CHROMIUM_PATH;
  if (own !== undefined) return playwright.launch({ executablePath: own });
  if (process.platform !== 'linux' || process.arch !== 'x64') return playwright.launch({ channel: 'chrome' });
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // In one process the browser would end with its first page.
    args: [...chromium.args.filter((flag) => flag !== '--single-process'), ...QUIET],
  });
}

/** No connection but those of the page. */
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
