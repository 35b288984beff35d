import { describe, expect, it } from 'vitest';
import { dataFolder } from './data-folder.ts';

describe('dataFolder', () => {
  it.each([
    ['linux', {}, '/home/ada/.local/share/quartermaster'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/quartermaster'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada/.local/share/quartermaster'],
    ['linux', { XDG_DATA_HOME: '' }, '/home/ada/.local/share/quartermaster'],
    ['darwin', {}, '/home/ada/Library/Application Support/quartermaster'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/quartermaster'],
  ] as const)('on %s with %j is %s', (platform, env, folder) => {
    expect(dataFolder({ platform, env, home: '/home/ada' })).toBe(folder);
  });
});
