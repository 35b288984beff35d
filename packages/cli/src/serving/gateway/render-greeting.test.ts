import { expect, it } from 'vitest';
import type { Terminal } from '../../terminal/index.ts';
import { renderGreeting } from './render-greeting.ts';

const same = (text: string): string => text;
const TERMINAL = { paint: { bold: same, cyan: same, dim: same } } as unknown as Terminal;
const SAMPLE = { tools: 468, services: 20 };

it.each([
  ['without keys', { hasKeys: false, sample: SAMPLE }, false],
  ['with keys', { hasKeys: true, sample: SAMPLE }, true],
  ['with keys and real models', { hasKeys: true }, false],
])('%s it says which key the question takes only where there is one to choose', (_, settings, isSaid) => {
  const greeting = renderGreeting({ url: 'http://0.0.0.0:8787', hasMcp: false, models: [], ...settings }, TERMINAL);
  expect(greeting.includes('may use the model "rehearsal" and the catalog "sample"')).toBe(isSaid);
  expect(greeting).toContain('http://127.0.0.1:8787/v1/');
  expect(greeting.includes('$QUARTERMASTER_KEY')).toBe(settings.hasKeys);
  expect(greeting.includes('no API key is needed')).toBe(!settings.hasKeys);
});

it('prints an address that a browser can open if it listens on all interfaces', () => {
  const greetingOn = (url: string) =>
    renderGreeting({ url, sample: SAMPLE, models: [], hasKeys: true, hasMcp: false }, TERMINAL);
  expect(greetingOn('http://0.0.0.0:8788')).toContain('On this machine, open http://127.0.0.1:8788 in a browser');
  expect(greetingOn('http://127.0.0.1:8788')).toContain('Open it in a browser');
});

it.each([
  [['claude-*', 'gpt-5'], 'Ask gpt-5:', '{"model":"gpt-5",'],
  [
    ['claude-*', '*'],
    'Ask a model: put the name of one that matches claude-*, * in the place of MODEL.',
    '{"model":"MODEL",',
  ],
])('asks one of the configured models %j', (models, about, body) => {
  const greeting = renderGreeting({ url: 'http://127.0.0.1:8787', models, hasKeys: false, hasMcp: false }, TERMINAL);
  expect(greeting).toContain(about);
  expect(greeting).toContain(
    `/v1/messages -H 'anthropic-version: 2023-06-01' -H 'content-type: application/json' -d '${body}`,
  );
});
