import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { counted } from './counted.ts';
import { renderBars } from './render-bars.ts';
import { renderTable } from './render-table.ts';
import { createTerminal, oneLine } from './terminal.ts';

const plain = createTerminal({ stdout: Object.assign(new PassThrough(), { columns: 60 }), env: {} });

describe('counted', () => {
  it.each([
    [0, '0 tools'],
    [1, '1 tool'],
    [2, '2 tools'],
    [12_345, '12,345 tools'],
  ])('%i', (count, text) => {
    expect(counted(count, 'tool')).toBe(text);
  });

  it('accepts an irregular plural', () => {
    expect([counted(1, 'query', 'queries'), counted(3, 'query', 'queries')]).toEqual(['1 query', '3 queries']);
  });
});

describe('createTerminal', () => {
  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: false }, {}, false],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{ isTTY: false }, { FORCE_COLOR: '1' }, true],
    [{ isTTY: true }, { NO_COLOR: '' }, true],
  ])('%j with %j is coloured: %s', (stream, env, isColoured) => {
    const { paint } = createTerminal({ stdout: Object.assign(new PassThrough(), stream), env });
    expect(paint.bold('x') !== 'x').toBe(isColoured);
  });

  it.each([
    [undefined, 80],
    [0, 80],
    [10, 40],
    [1_000, 160],
  ])('a terminal of %s columns gets lines of %i', (columns, width) => {
    expect(createTerminal({ stdout: Object.assign(new PassThrough(), { columns }), env: {} }).width).toBe(width);
  });
});

describe('oneLine', () => {
  it.each([
    ['two\nlines', 20, 'two lines'],
    ['too long to fit', 8, 'too lon…'],
    ['\u001b[31mred\u0007', 20, '[31mred'],
    ['right\u202Eleft', 20, 'right left'],
    ['😀😀😀', 3, '😀…'],
    ['搜索文件', 8, '搜索文件'],
    ['搜索文件', 7, '搜索文…'],
    ['e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301e\u0301'],
  ])('%j in %i columns', (text, width, expected) => {
    expect(oneLine(text, width)).toBe(expected);
  });
});

describe('renderBars', () => {
  it('draws bars in proportion, none wider than the terminal', () => {
    const bars = [
      { label: 'all', value: 100, note: '100' },
      { label: 'half', value: 50, note: '50' },
      { label: 'none', value: 0, note: '0' },
    ];
    const lines = renderBars(bars, plain).split('\n');
    const lengths = lines.map((line) => line.replace(/[^█]/g, '').length);
    expect(lengths[1]).toBe(Math.floor((lengths[0] ?? 0) / 2));
    expect(lengths[2]).toBe(0);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});

describe('renderTable', () => {
  it('gives wide characters two columns', () => {
    expect(renderTable([{ title: 'name' }, { title: 'n' }], [['搜索', '1']])).toBe('name  n\n搜索  1');
  });

  it('pads columns, numbers to the right', () => {
    const text = renderTable(
      [{ title: 'name' }, { title: 'n', align: 'right' }],
      [
        ['a', '1'],
        ['long one', '23'],
      ],
    );
    expect(text).toBe('name       n\na          1\nlong one  23');
  });
});
