/** A description that is tried in place of the stored one. */
export interface Draft {
  readonly tool: string;
  readonly text: string;
}

/** Drafts stay in the fragment of a link, so that they reach no log. */
export function readDraft(hash: string): Draft | undefined {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const [tool, text] = [fields.get('draft'), fields.get('text')];
  return tool === null || text === null ? undefined : { tool, text };
}

export function writeDraft(draft: Draft | undefined): string {
  return draft === undefined ? '' : new URLSearchParams({ draft: draft.tool, text: draft.text }).toString();
}
