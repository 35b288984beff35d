/** What a host's words say instead of a credential. */
const HIDDEN = '[hidden]';

/** A shorter value, such as `none`, may be an ordinary word of the message. */
const LEAST_LENGTH = 8;

const MAY_BE_SECRET = /auth|key|token|secret/i;

/** A text without the credentials of the request that it answers: some hosts quote them in their errors. */
export function hideCredentials(text: string, sent: Headers): string {
  let shown = text;
  for (const [name, value] of sent) {
    const secret = value.replace(/^(?:bearer|basic)\s+/i, '');
    if (secret.length >= LEAST_LENGTH && MAY_BE_SECRET.test(name)) shown = shown.replaceAll(secret, HIDDEN);
  }
  return shown;
}
