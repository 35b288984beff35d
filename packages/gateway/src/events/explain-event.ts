import { defined } from '@quartermaster/core/internal';
import type { LogEntry } from '../logger.ts';
import { byKind, type GatewayEvent } from './gateway-event.ts';

/** Why something was decided, as a line of the debug log. Names and figures, never texts of a request. */
export function explainEvent(event: GatewayEvent): LogEntry | undefined {
  const explained = explain(event);
  if (explained === undefined) return undefined;
  return {
    level: 'debug',
    ...defined({ requestId: 'requestId' in event ? event.requestId : undefined }),
    ...explained,
  };
}

interface Explained {
  readonly event: LogEntry['event'];
  readonly [fact: string]: LogEntry[string];
}

const explain = byKind<Explained>({
  'plan-decide': ({ decision, reason, form, cost }) => ({
    ...{ event: 'decision', decision, reason, form },
    ...{ definitionTokens: cost?.definitions, declaredTokens: cost?.declared },
  }),
  'tool-search-end': ({ outcome, engine, reranker, confidence, queryCount, found, scores, durationMs }) => ({
    ...{ event: 'search', outcome, engine, reranker, confidence, queries: queryCount, found: found.join(', ') },
    ...{ bestScore: scores[0], durationMs },
  }),
  'tool-call-refuse': ({ reason, tool }) => ({ event: 'refusal', reason, tool }),
  'tool-load': ({ tool, by, tokens }) => ({ event: 'load', tool, by, tokens }),
  'server-change': ({ server, state, reason, toolCount }) => ({
    ...{ event: 'server', server, state, reason, tools: toolCount },
  }),
  'definition-change': ({ tool, fields, isHeld }) => ({
    ...{ event: 'definition', tool, fields: fields.join(', '), isHeld },
  }),
  'definition-finding': ({ tool, finding, at, isWithheld }) => ({
    ...{ event: 'definition', tool, finding, at, isWithheld },
  }),
  'listing-cut': ({ server, reason }) => ({ event: 'server', server, reason }),
  'reranker-fallback': ({ of, reason }) => ({ event: 'fallback', of, reason }),
});
