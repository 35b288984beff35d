import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSeal, openSeal, writeSeal } from './seal.ts';

const METADATA = { google: { thoughtSignature: 'abc', other: 'left out', itemId: 7 } };

it('comes back to its provider with what that requires and nothing else', () => {
  const seal = writeSeal({ provider: 'google', metadata: METADATA });
  expect(openSeal(seal, 'google')).toEqual({ google: { thoughtSignature: 'abc' } });
  expect(openSeal(seal, 'openai')).toBeUndefined();
});

it('keeps a provider with a dot in its name', () => {
  expect(openSeal(writeSeal({ provider: 'a.b', metadata: {} }), 'a.b')).toEqual({});
});

it('accepts no forged string, and lets none through', () => {
  const forged = fc.oneof(
    fc.string(),
    fc.string().map((text) => `qm1.google.${text}`),
    fc.json().map((json) => `qm1.google.${btoa(unescape(encodeURIComponent(json)))}`),
  );
  fc.assert(
    fc.property(forged, (text) => {
      const opened = openSeal(text, 'google') ?? {};
      for (const fields of Object.values(opened)) {
        expect(Object.values(fields).every((value) => typeof value === 'string')).toBe(true);
      }
    }),
  );
  expect(isSeal('EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds')).toBe(false);
});
