import { describe, expect, it } from 'vitest';
import { createTool } from '../../catalog/index.ts';
import { namesExactly } from './names-exactly.ts';

const TOOLS = [
  createTool({
    name: 'create_charge',
    server: 'payments',
    description: 'Charge a card',
    schema: {
      type: 'object',
      properties: { amount: {}, idempotency_key: {}, card: { type: 'object', properties: { ibanNumber: {} } } },
    },
  }),
  createTool({ name: 'applyKubeconfig', description: 'Take over a file' }),
];
const KNOWN = new Set('charge card key number create payments apply book table wine list tea'.split(' '));
const embedder = { knows: (word: string) => KNOWN.has(word) };

describe('namesExactly', () => {
  it.each([
    'idempotency_key',
    'IDEMPOTENCY KEY',
    'which tools take an `idempotency_key` so that nothing is paid twice',
    'ibanNumber',
    'iban number',
    'kubeconfig',
    'what can I do with a kubeconfig that someone sent to me by mail',
    'create charge',
    'the card number',
  ])('sees it in %j', (request) => {
    expect(namesExactly(request, TOOLS, embedder)).toBe(true);
  });

  it.each([
    '',
    'tea',
    'book a table',
    'wine list for the table with the key',
    'the price_list of last_year',
    'a b c',
    'on behalf of all the others who could not come to the table this time',
    '2024',
    'what would you charge for such a card and where do I find the list',
  ])('does not in %j', (request) => {
    expect(namesExactly(request, TOOLS, embedder)).toBe(false);
  });
});
