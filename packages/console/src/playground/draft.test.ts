import { describe, expect, it } from 'vitest';
import { readDraft, writeDraft } from './draft.ts';

describe('a draft in a link', () => {
  it.each(['Give a customer their money back', 'a & b = #c?', '', 'ü 中'])('comes back as it was: %j', (text) => {
    const draft = { tool: 'stripe/refunds.create', text };
    expect(readDraft(`#${writeDraft(draft)}`)).toEqual(draft);
  });

  it('is none where the link has no draft', () => {
    expect(writeDraft(undefined)).toBe('');
    expect(readDraft('')).toBeUndefined();
    expect(readDraft('#main')).toBeUndefined();
  });
});
