import { createTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { compilePermissions, type Permissions } from './permissions.ts';

const cases: readonly [Permissions, string, boolean][] = [
  [{}, 'github/create_issue', true],
  [{ allow: [] }, 'github/create_issue', false],
  [{ allow: ['github/*'] }, 'github/create_issue', true],
  [{ allow: ['github'] }, 'github/create_issue', true],
  [{ allow: ['git'] }, 'github/create_issue', false],
  [{ allow: ['git*'] }, 'github/create_issue', true],
  [{ allow: ['*/create_*'] }, 'github/create_issue', true],
  [{ allow: ['*/delete_*'] }, 'github/create_issue', false],
  [{ allow: ['mcp__github__*'] }, 'github/create_issue', true],
  [{ allow: ['mcp__github'] }, 'github/create_issue', true],
  [{ allow: ['mcp__github__create_issue'] }, 'github/create_issue', true],
  [{ allow: ['mcp__github__delete_issue'] }, 'github/create_issue', false],
  [{ allow: ['github/*'], deny: ['github/create_issue'] }, 'github/create_issue', false],
  [{ deny: ['*/create_*'] }, 'github/create_issue', false],
  [{ deny: ['slack'] }, 'github/create_issue', true],
  [{ deny: ['create_issue'] }, 'github/create_issue', false],
  [{ allow: ['create_issue'] }, 'github/create_issue', false],
  [{ allow: ['send_mail'] }, 'send_mail', true],
  [{ allow: ['send_*'] }, 'send_mail', true],
  [{ allow: ['read_mail'] }, 'send_mail', false],
  [{ deny: ['send_mail'] }, 'send_mail', false],
  [{ deny: ['send_*'] }, 'send_mail', false],
  [{ allow: ['mcp__send_mail'] }, 'send_mail', false],
];

function tool(id: string): ReturnType<typeof createTool> {
  const [first = '', second] = id.split('/');
  return createTool(second === undefined ? { name: first } : { server: first, name: second });
}

describe('compilePermissions', () => {
  it.each(cases)('%j and %s: %s', (permissions, id, isAllowed) => {
    expect(compilePermissions(permissions).allowsTool(tool(id))).toBe(isAllowed);
  });

  it.each<[Permissions, boolean]>([
    [{}, true],
    [{ allow: ['github/create_issue'] }, true],
    [{ allow: ['slack/*'] }, false],
    [{ deny: ['github/create_issue'] }, true],
    [{ deny: ['github/*'] }, false],
    [{ deny: ['*'] }, false],
  ])('%j makes the server github visible: %s', (permissions, isAllowed) => {
    expect(compilePermissions(permissions).allowsServer('github')).toBe(isAllowed);
  });

  it('gives the same filter for the same content, so that plans are shared', () => {
    const first = compilePermissions({ allow: ['a/*'] }).allowsTool;
    expect(compilePermissions({ allow: ['a/*'] }).allowsTool).toBe(first);
    expect(compilePermissions({ allow: ['b/*'] }).allowsTool).not.toBe(first);
  });
});
