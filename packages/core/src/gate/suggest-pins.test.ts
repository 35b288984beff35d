import { expect, it } from 'vitest';
import { suggestPins } from './suggest-pins.ts';

const uses = (calls: Record<string, number>): { tool: string; calls: number }[] =>
  Object.entries(calls).map(([tool, count]) => ({ tool, calls: count }));

it('names the most used tools, five at the most', () => {
  expect(suggestPins(uses({ a: 9, b: 30, c: 12, d: 11, e: 10, f: 10 }))).toEqual(['b', 'c', 'd', 'e', 'f']);
});

it('stops at three when the rest is used far less', () => {
  expect(suggestPins(uses({ a: 100, b: 90, c: 80, d: 20, e: 5 }))).toEqual(['a', 'b', 'c']);
});

it('names no tool that is hardly used, and adds up what comes in pieces', () => {
  expect(suggestPins([...uses({ a: 2, b: 2 }), { tool: 'b', calls: 1 }])).toEqual(['b']);
  expect(suggestPins(uses({ a: 2 }), { minCalls: 1 })).toEqual(['a']);
});
