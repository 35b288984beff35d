import { createTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { decidePermission, type PermissionQuestion } from './decide-permission.ts';

function kind(
  question: Partial<PermissionQuestion> & { readonly toolName?: string; readonly isReadOnly?: boolean },
): string {
  const { toolName = 'do_it', isReadOnly = false, ...rest } = question;
  const annotations = { readOnlyHint: isReadOnly };
  const tool = createTool({
    server: 's',
    name: toolName,
    description: '',
    schema: {},
    policy: 'automatic',
    extras: { annotations },
  });
  return decidePermission({
    tool,
    name: toolName,
    mode: 'default',
    isAllowed: false,
    isDisallowed: false,
    editsFiles: false,
    isLocal: true,
    ...rest,
  }).kind;
}

describe('a call', () => {
  it.each<[string, Parameters<typeof kind>[0], string]>([
    ['is a question where nothing speaks of it', {}, 'ask'],
    ['is allowed by a rule', { isAllowed: true }, 'allow'],
    [
      'is denied by a rule before all else',
      { isDisallowed: true, isAllowed: true, mode: 'bypassPermissions', hook: 'allow' },
      'deny',
    ],
    ['is allowed by a hook', { hook: 'allow' }, 'allow'],
    ['is a question again by a hook', { hook: 'ask', isAllowed: true }, 'ask'],
    ['is a question by a hook, whatever the mode lets pass', { hook: 'ask', mode: 'bypassPermissions' }, 'ask'],
    ['is let pass by the mode', { mode: 'bypassPermissions' }, 'allow'],
    ['is never a question in dontAsk', { mode: 'dontAsk' }, 'deny'],
    ['is allowed by a rule in dontAsk', { mode: 'dontAsk', isAllowed: true }, 'allow'],
    ['is denied while planning', { mode: 'plan', isAllowed: true, hook: 'allow' }, 'deny'],
    ['is a question while planning where it changes nothing', { mode: 'plan', isReadOnly: true }, 'ask'],
    [
      'is allowed while planning where it changes nothing',
      { mode: 'plan', isReadOnly: true, isAllowed: true },
      'allow',
    ],
    ['is an edit', { mode: 'acceptEdits', toolName: 'edit_file' }, 'allow'],
    ['is an edit in camel case', { mode: 'acceptEdits', toolName: 'createDirectory' }, 'allow'],
    ['is no edit elsewhere', { mode: 'acceptEdits', toolName: 'edit_file', editsFiles: false, isLocal: false }, 'ask'],
    ['is no edit where it deletes', { mode: 'acceptEdits', toolName: 'delete_file' }, 'ask'],
    ['is no edit where no file is named', { mode: 'acceptEdits', toolName: 'write_mail' }, 'ask'],
    ['is an edit only in its mode', { toolName: 'edit_file' }, 'ask'],
  ])('%s', (_what, question, expected) => {
    expect(kind(question)).toBe(expected);
  });
});
