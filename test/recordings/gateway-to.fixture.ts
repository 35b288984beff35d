import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway, gatewayOptionsFrom } from '@quartermaster/gateway';
import { loadConfig } from '@quartermaster/host/config';
import { onTestFinished } from 'vitest';
import type { Recording } from './recording.fixture.ts';

/** A `fetch` that a gateway answers, in front of the host at this address. */
export function gatewayTo(url: string, { dialect }: Recording): typeof fetch {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'quartermaster.yaml');
  const upstream =
    dialect === 'anthropic' ? { provider: 'anthropic', baseUrl: url } : { provider: 'openai', baseUrl: `${url}/v1` };
  const keys = [{ name: 'client', key: 'none' }];
  writeFileSync(path, JSON.stringify({ upstreams: [{ models: ['*'], apiKey: 'none', ...upstream }], keys }));
  const gateway = createGateway({ ...gatewayOptionsFrom(loadConfig({ path, env: {} })), workerUrl: false });
  onTestFinished(() => gateway.close());
  return async (input, init) => gateway.fetch(new Request(input, init));
}
