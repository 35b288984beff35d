import { Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { copyText, LINK_NOTICE } from './copy-text.ts';

/** How long a button says how copying went. */
const COPIED_MS = 2_000;

/** How long a notice stays: it has a sentence to read. */
const NOTICE_MS = 4_000;

/** Copies text, and says so, or says that the browser refused. */
export function CopyButton({ text, name = 'Copy' }: { readonly text: string; readonly name?: string }): ReactNode {
  const [isCopied, setCopied] = useState<boolean>();
  useEffect(() => {
    if (isCopied === undefined) return;
    const timer = setTimeout(() => setCopied(undefined), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button onClick={() => void copyText(text).then(setCopied)}>
      <Copy size={14} aria-hidden="true" />{' '}
      <span aria-live="polite">{isCopied === undefined ? name : isCopied ? 'Copied' : 'Select the text yourself'}</span>
    </Button>
  );
}

/** Says how the copying of a link went. */
export function LinkNotice(): ReactNode {
  const [notice, setNotice] = useState<{ readonly text: string }>();
  useEffect(() => {
    const show = (event: Event): void => setNotice({ text: String((event as CustomEvent).detail) });
    addEventListener(LINK_NOTICE, show);
    return () => removeEventListener(LINK_NOTICE, show);
  }, []);
  useEffect(() => {
    if (notice === undefined) return;
    const timer = setTimeout(() => setNotice(undefined), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <p className={notice === undefined ? 'hidden-text' : 'link-notice'} role="status">
      {notice?.text}
    </p>
  );
}
