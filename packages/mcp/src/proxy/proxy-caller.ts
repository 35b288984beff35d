import type { ProtocolError, ServerContext } from '@modelcontextprotocol/server';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Caller } from '@quartermaster/core/dispatch';
import type { RunningRequest, Session } from './session.ts';

/** What a call to a server needs to know of the request that it is made for. */
export interface CallOrigin {
  readonly session: Session;
  readonly context: ServerContext;
  readonly ask?: RunningRequest['ask'];
  /** The parameters of the client's `tools/call`. */
  readonly params: JsonObject;
  /** Whether progress can be told: not where one request makes several calls. */
  isOnly: boolean;
  /** Whether the client named the tool itself, rather than one of ours that calls it. */
  readonly isDirect: boolean;
  /** An error that the client must see as it is, since it has to act on it. */
  passOn?: ProtocolError;
}

/** The caller that the toolbox is given for one call, with the request that the call is made for. */
export class ProxyCaller implements Caller {
  readonly id?: string;
  readonly allow: NonNullable<Caller['allow']>;
  readonly #origin: CallOrigin;

  constructor(origin: CallOrigin) {
    const { id, allow } = origin.session.caller();
    if (id !== undefined) this.id = id;
    this.allow = allow;
    this.#origin = origin;
  }

  /** Undefined for a caller that makes no call, such as one that only looks at what there is. */
  static originOf(caller: Caller): CallOrigin | undefined {
    return caller instanceof ProxyCaller ? caller.#origin : undefined;
  }
}
