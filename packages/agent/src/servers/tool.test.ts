import { SettingError } from '@quartermaster/core/errors';
import { expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { tool } from './tool.ts';

const handler = () => ({ content: [] });

it.each([
  ['a schema of zod 3', z3.number()],
  ['no schema', 'number'],
  ['nothing', undefined],
])('a parameter that is %s is refused where the tool is defined', (_what, schema) => {
  const define = () => tool('add', 'Adds.', { a: z.number(), b: schema as never }, handler);
  expect(define).toThrow(SettingError);
  expect(define).toThrow('The parameter "b" of the tool "add" needs a schema of zod 4');
});

it('every schema of zod 4 is taken', () => {
  const shape = { a: z.number().optional(), b: mini.string() };
  expect(tool('add', 'Adds.', shape, handler).inputSchema).toBe(shape);
  expect(tool('add', 'Adds.', {}, handler).inputSchema).toEqual({});
});
