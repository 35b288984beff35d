/** Puts text on the clipboard, and says whether it is there: over plain http, browsers give pages no clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** What the page says after a link was to be copied. */
export const LINK_NOTICE = 'quartermaster-link-notice';

/** Copies a link to what is on the screen, and has the page say how that went. */
export async function copyLink(): Promise<void> {
  const isCopied = await copyText(location.href);
  const detail = isCopied ? 'Link copied.' : 'The browser refused. Copy the link from the address bar.';
  dispatchEvent(new CustomEvent(LINK_NOTICE, { detail }));
}
