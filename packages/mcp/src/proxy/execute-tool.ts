import { type ProgressCallback, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Caller, Resolved } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
import type { Hub } from '../hub/index.ts';
import { asksForSignIn, askToSignIn } from './ask-to-sign-in.ts';
import { followUp, withMeta } from './client-request.ts';
import type { ProxyOptions } from './create-proxy.ts';
import { noteTask } from './serve-tasks.ts';
import type { RunningRequest, Session } from './session.ts';
import { encodeTask } from './task-ids.ts';

/** Runs a call at its server, and forwards everything in both directions meanwhile. */
export function createExecutor(
  hub: Hub,
  callMeta: ProxyOptions['callMeta'],
): (call: Resolved, context: { readonly caller: Caller; readonly signal: AbortSignal }) => Promise<JsonObject> {
  return async (call, { caller, signal }) => {
    const origin = originOf(caller);
    const more = callMeta?.(call, origin?.context.mcpReq._meta as JsonObject | undefined);
    if (origin === undefined) {
      const params = more === undefined ? {} : { params: { _meta: more } };
      return hub.call({ tool: call.tool, arguments: call.arguments, signal, ...params });
    }
    const { session, context } = origin;
    const server = call.tool.server ?? '';
    const attempt = async (): Promise<JsonObject> => {
      const connection = await session.prepare(server);
      const isModern = connection.era === 'modern';
      const result = await session.during(server, origin, () =>
        hub.call({
          tool: call.tool,
          arguments: call.arguments,
          origin: session.origin,
          signal,
          onProgress: progressFor(origin),
          params: passedOn(origin, { isModern, more }),
          // A client of the same revision answers the server's questions itself; any other is asked by us.
          allowInputRequired: isModern && context.mcpReq.envelope !== undefined,
        }),
      );
      await noteTask(session, server, result);
      return encodeTask(result, server);
    };
    try {
      try {
        return await attempt();
      } catch (error) {
        if (!asksForSignIn(error)) throw error;
        const answer = await askToSignIn({ session, running: origin, server, error, signal });
        if (answer === 'impossible') throw error;
        return answer === 'again' ? await attempt() : answer;
      }
    } catch (error) {
      // A request that a server rejects has no tool result; a model that calls through our tools still reads it as one.
      const mustPass = (code: number): boolean => origin.isDirect || code === ProtocolErrorCode.UrlElicitationRequired;
      if (error instanceof ProtocolError && mustPass(error.code)) origin.passOn = error;
      throw withSignIn(error, session);
    }
  };
}

/**
 * Tells a user where to sign in. At a gateway's page they identify themselves. An address that is tied to no user
 * would sign in everybody, so only a known user gets one.
 */
function withSignIn(error: unknown, { access, isSole }: Session): unknown {
  if (!asksForSignIn(error)) return error;
  const { authorizationUrl, server } = error.context;
  const page = access.signInPage?.(String(server));
  if (page !== undefined) return new Error(`${error.message.split(';')[0]}: ${page}`);
  const isKnown = access.user !== undefined || isSole;
  return isKnown && typeof authorizationUrl === 'string' ? new Error(`${error.message}: ${authorizationUrl}`) : error;
}

function progressFor({ context, isOnly }: CallOrigin): ProgressCallback | undefined {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined || !isOnly) return undefined;
  return (progress) => {
    context.mcpReq.notify({ method: 'notifications/progress', params: { ...progress, progressToken } }).catch(() => {});
  };
}

/** `_meta` without the ids of this hop, the request for a task, and answers to the server's earlier questions. */
function passedOn(
  { context, params }: CallOrigin,
  { isModern, more }: { readonly isModern: boolean; readonly more: JsonObject | undefined },
): JsonObject {
  const { progressToken, ...own } = context.mcpReq._meta ?? {};
  const meta = { ...own, ...more } as JsonObject;
  return { ...(isModern ? followUp(context, meta) : withMeta(meta)), ...defined({ task: params.task }) };
}

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
