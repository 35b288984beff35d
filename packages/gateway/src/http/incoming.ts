import type { IncomingMessage } from 'node:http';

const incoming = new WeakMap<Request, IncomingMessage>();

/** Remembers what a request was made of, where it came over Node's HTTP: its body can then be read without a copy in between. */
export function noteIncoming(request: Request, message: IncomingMessage): void {
  incoming.set(request, message);
}

/**
 * What a request was made of, if nothing else has begun to read it. A clone, a tee or a look at the request's body takes the
 * connection's bytes, and they are then to be had from the request alone.
 */
export function untouchedIncomingOf(request: Request): IncomingMessage | undefined {
  const message = incoming.get(request);
  return message?.readableFlowing === null && !message.readableDidRead ? message : undefined;
}
