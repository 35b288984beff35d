import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

describe('makeFolder', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quartermaster-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('creates missing folders, and keeps existing ones', () => {
    makeFolder(join(folder, 'a', 'b', 'c'));
    makeFolder(join(folder, 'a', 'b', 'd'));
    makeFolder(join(folder, 'a'));
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['c', 'd']);
  });

  it('keeps what is in a .quartermaster folder out of git, which may be in a project', () => {
    makeFolder(join(folder, '.quartermaster', 'sessions'));
    expect(readFileSync(join(folder, '.quartermaster', '.gitignore'), 'utf8')).toBe('*\n');
    expect(existsSync(join(folder, '.gitignore'))).toBe(false);
  });

  it('fails below a file', () => {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
    expect(() => makeFolder(join(folder, 'file', 'a'))).toThrow('ENOTDIR');
    expect(() => makeFolder(join(folder, 'link', 'a'))).toThrow('EEXIST');
  });

  it('fails without a loop if the file system cannot create folders', () => {
    const place = '/proc/quartermaster';
    if (existsSync('/proc')) expect(() => makeFolder(join(place, 'a'))).toThrow(/mkdir '\/proc/);
    expect(existsSync(place)).toBe(false);
  });
});
