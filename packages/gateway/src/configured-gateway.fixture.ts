import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@quartermaster/host/config';
import { onTestFinished } from 'vitest';
import { createGateway, type Gateway } from './create-gateway.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { gatewayOptionsFrom } from './gateway-options-from.ts';
import { serve } from './serve.ts';

export interface RecordedGateway {
  readonly url: string;
  /** What clients sent and which status they got, in the order of the answers. */
  readonly exchanges: readonly RecordedExchange[];
}

export interface RecordedExchange {
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly status: number;
}

/** A folder that is gone when the test has finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a settings file means. Every JSON text is YAML. */
export function optionsFor(settings: object, env: Readonly<Record<string, string>> = {}): GatewayOptions {
  const path = join(temporaryFolder(), 'quartermaster.yaml');
  writeFileSync(path, JSON.stringify(settings));
  return gatewayOptionsFrom(loadConfig({ path, env }));
}

/** A gateway without a store that keeps what its clients send. */
export async function recordedGateway(settings: object): Promise<RecordedGateway> {
  const gateway = createGateway({ ...optionsFor(settings), workerUrl: false });
  const exchanges: RecordedExchange[] = [];
  const recording: Gateway = {
    async fetch(request) {
      const text = await request.clone().text();
      const response = await gateway.fetch(request);
      const { pathname: path } = new URL(request.url);
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      exchanges.push({ path, headers: request.headers, body, status: response.status });
      return response;
    },
    close: () => gateway.close(),
  };
  const server = await serve({ gateway: recording, port: 0, hasKeys: false });
  onTestFinished(() => server.close());
  return { url: server.url, exchanges };
}
