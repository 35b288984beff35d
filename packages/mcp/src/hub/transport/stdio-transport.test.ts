import { expect, it } from 'vitest';
import { StdioTransport } from './stdio-transport.ts';

const TWO_MESSAGES = `
  for (const id of [1, 2]) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: {} }) + '\\n');
  setInterval(() => {}, 1000);
`;

it('delivers the next message after one that could not be handled, and reports it', async () => {
  const transport = new StdioTransport({ command: process.execPath, args: ['-e', TWO_MESSAGES], env: {} });
  const errors: string[] = [];
  transport.onerror = ({ message }) => errors.push(message);
  const second = new Promise<unknown>((resolve) => {
    transport.onmessage = (message) => {
      if ('id' in message && message.id === 1) throw new RangeError('Maximum call stack size exceeded');
      resolve(message);
    };
  });
  await transport.start();
  expect(await second).toMatchObject({ id: 2 });
  expect(errors).toEqual(['Maximum call stack size exceeded']);
  await transport.close();
}, 60_000);
