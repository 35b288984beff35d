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
  const greeting = renderGreeting({ url: 'http://0.0.0.0:8787', hasMcp: false, ...settings }, TERMINAL);
  expect(greeting.includes('may use the model "rehearsal" and the catalog "sample"')).toBe(isSaid);
  expect(greeting).toContain('http://127.0.0.1:8787/v1/');
  expect(greeting.includes('$QUARTERMASTER_KEY')).toBe(settings.hasKeys);
});
