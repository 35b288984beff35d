import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { StdioSettings } from '../hub/index.ts';
import { until } from './until.fixture.ts';

export interface ListeningServer {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts a server's process that listens on the port which its environment names. */
export async function startListening(settings: StdioSettings, isReady: RegExp): Promise<ListeningServer> {
  const port = await freePort();
  const child = spawn(settings.command, settings.args ?? [], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await until(() => isReady.test(output));
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
