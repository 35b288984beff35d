import { readFileSync } from 'node:fs';
import { createGateway, gatewayOptionsFrom, serve } from '@quartermaster/gateway';
import { loadConfig } from '@quartermaster/host/config';
import { openStore, type StoreLocation } from '@quartermaster/host/store';

/**
 * A gateway in a process of its own, to be killed at any moment. Arguments: its settings file, the store's location as JSON, and
 * a file that holds the time. Time stands still between changes of that file, so that no lease runs out by accident; what is
 * done every few seconds is done a hundred times as often. Writes its address when it is there.
 */
const [settings = '', location = '', clockFile = ''] = process.argv.slice(2);

const now = (): number => Number(readFileSync(clockFile, 'utf8'));
const clock = {
  now,
  after(delayMs: number, run: () => void) {
    const timer = setTimeout(run, delayMs / 100);
    return () => clearTimeout(timer);
  },
};
const store = await openStore({ ...(JSON.parse(location) as StoreLocation), now });
const options = gatewayOptionsFrom(loadConfig({ path: settings, env: {} }));
const gateway = createGateway({ ...options, store, clock, workerUrl: false });
const server = await serve({ gateway, port: 0, hasKeys: false });
process.stdout.write(`${server.url}\n`);
