import type { ProtocolError } from '@modelcontextprotocol/server';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Caller } from '@quartermaster/core/dispatch';
import type { RunningRequest, Session } from './session.ts';

/** What a call to a server needs to know about the request it is made for. */
export interface CallOrigin extends RunningRequest {
  readonly session: Session;
  /** The parameters of the client's `tools/call`. */
  readonly params: JsonObject;
  /** Whether progress can be reported: not if one request makes several calls. */
  isOnly: boolean;
  /** Whether the client named the tool itself, rather than one of ours that calls it. */
  readonly isDirect: boolean;
  /** An error that the client must see unchanged, because it has to act on it. */
  passOn?: ProtocolError;
}

const ORIGIN = Symbol('origin');

/** The caller that the toolbox is given for one call. */
interface ProxyCaller extends Caller {
  readonly [ORIGIN]: CallOrigin;
}

/** A caller with the request that its call is made for. */
export function callerFor(origin: CallOrigin): Caller {
  const caller: ProxyCaller = { ...origin.session.caller(), [ORIGIN]: origin };
  return caller;
}

/** Undefined for a caller that makes no call, for example one that only lists. */
export function originOf(caller: Caller): CallOrigin | undefined {
  return (caller as Partial<ProxyCaller>)[ORIGIN];
}
