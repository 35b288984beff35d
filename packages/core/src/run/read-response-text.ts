/** The text of a response, or the part of it that was read. */
export interface ResponseText {
  readonly text: string;
  /** Whether there was more. */
  readonly isCut: boolean;
}

/** A response's text up to a number of bytes. The rest is not read: a body that never ends must not fill the memory. */
export async function readResponseText(response: Response, maxBytes: number): Promise<ResponseText> {
  if (response.body === null) return { text: '', isCut: false };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let left = maxBytes;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode(), isCut: false };
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.byteLength;
      if (left < 0) {
        reader.cancel().catch(() => undefined);
        return { text, isCut: true };
      }
    }
  } finally {
    reader.releaseLock();
  }
}
