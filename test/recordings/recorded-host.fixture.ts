import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HostAnswer } from './recording.fixture.ts';

export interface RecordedHost {
  readonly url: string;
  /** The bodies that it was asked with. */
  readonly requests: readonly unknown[];
}

/** A host on this machine that answers one request after the other as it is told. */
export async function recordedHost(answer: (request: unknown, turn: number) => HostAnswer): Promise<RecordedHost> {
  const requests: unknown[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    requests.push(request);
    const { status = 200, contentType, body } = answer(request, requests.length - 1);
    response.writeHead(status, { 'content-type': contentType }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
