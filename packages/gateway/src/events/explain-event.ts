import type { LogEntry } from '../logger.ts';
import type { GatewayEvent } from './gateway-event.ts';

/** Why something was decided as it was, as a line of the debug log. Names and figures, never texts of a request. */
export function explainEvent(event: GatewayEvent): LogEntry | undefined {
  const { requestId } = event;
  const head = { level: 'debug', ...(requestId === undefined ? {} : { requestId }) } as const;
  switch (event.kind) {
    case 'plan-decide':
      return {
        ...{ ...head, event: 'decision', decision: event.decision, reason: event.reason },
        ...{ form: event.form, definitionTokens: event.cost?.definitions, declaredTokens: event.cost?.declared },
      };
    case 'tool-search-end':
      return {
        ...{ ...head, event: 'search', outcome: event.outcome, engine: event.engine, reranker: event.reranker },
        ...{ confidence: event.confidence, queries: event.queryCount, found: event.found.join(', ') },
        ...{ bestScore: event.scores[0], durationMs: event.durationMs },
      };
    case 'tool-call-refuse':
      return { ...head, event: 'refusal', reason: event.reason, tool: event.tool };
    case 'model-round-start':
    case 'tool-load':
    case 'tool-call-start':
    case 'tool-call-end':
    case 'search-prepare-end':
      return undefined;
  }
}
