import type { QuartermasterError } from '@quartermaster/core';
import { defined } from '@quartermaster/core/internal';
import { planHistory, resolveReferences, type Wire } from '@quartermaster/core/loop';
import { answerRequest, type Explain, orRefusal, type StreamedDialect } from './answer-request.ts';
import type { PlannedRequest } from './request-planner.ts';
import { loopSettings, type ToolSearchOptions } from './request-toolbox.ts';
import { resend } from './resend.ts';

/** What a `fetch` with tool search needs to know about its protocol. */
interface FetchAdapter<Request, Part, Whole> {
  readonly wire: Wire<Request, Part>;
  readonly dialect: StreamedDialect<Part, Whole>;
  /** Undefined if it is not a request for the model. */
  read(url: URL, init: RequestInit): AskedByFetch<Request, Part> | undefined;
  readonly explain: Explain;
  /** As the API itself rejects a request. */
  refuse(error: QuartermasterError): Response;
}

interface AskedByFetch<Request, Part> {
  readonly request: Request;
  readonly stream: boolean;
  /** Decides about the request, after references in it were resolved. */
  plan(request: Request): PlannedRequest<Request, Part>;
}

/**
 * A `fetch` with tool search. It works below the SDK's methods, so every helper works as it is: requests for the model are
 * answered by the search loop, all others pass.
 */
export function searchFetch<Request, Part, Whole>(
  adapter: FetchAdapter<Request, Part, Whole>,
  options: ToolSearchOptions,
  send: typeof fetch,
): typeof fetch {
  const { wire, dialect, explain } = adapter;
  const settings = loopSettings(options);
  const { transcript } = settings;
  return async (input, init = {}) => {
    const asked = input instanceof Request ? undefined : adapter.read(new URL(input), init);
    if (asked === undefined) return send(input, init);
    return orRefusal(async () => {
      const request = await resolveReferences({ wire, request: asked.request, transcript });
      const { planned: first, isLocal } = asked.plan(request);
      const planned = await planHistory(first, { transcript, isContinued: request !== asked.request });
      const ask = resend<Request, RequestInit>(init, (resent) => send(input, resent));
      if (planned.kind !== 'loop') return planned.request === asked.request ? send(input, init) : ask(planned.request);
      const signal = init.signal ?? undefined;
      const loop = { ...planned, ...settings, asked: asked.request, ...defined({ isLocal, signal }) };
      return answerRequest({ dialect, explain, loop, stream: asked.stream, ask });
    }, adapter.refuse);
  };
}
