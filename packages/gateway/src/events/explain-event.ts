import { defined } from '@quartermaster/core/internal';
import type { LogEntry } from '../logger.ts';
import type { GatewayEvent } from './gateway-event.ts';

/** Why something was decided, as a line of the debug log. Names and figures, never texts of a request. */
export function explainEvent(event: GatewayEvent): LogEntry | undefined {
  const requestId = 'requestId' in event ? event.requestId : undefined;
  const head = { level: 'debug', ...defined({ requestId }) } as const;
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
    case 'tool-load':
      return { ...head, event: 'load', tool: event.tool, by: event.by, tokens: event.tokens };
    case 'server-change':
      return {
        ...{ ...head, event: 'server', server: event.server, state: event.state },
        ...{ reason: event.reason, tools: event.toolCount },
      };
    case 'definition-change':
      return { ...head, event: 'definition', tool: event.tool, fields: event.fields.join(', '), isHeld: event.isHeld };
    case 'definition-finding':
      return {
        ...{ ...head, event: 'definition', tool: event.tool, finding: event.finding },
        ...{ at: event.at, isWithheld: event.isWithheld },
      };
    case 'listing-cut':
      return { ...head, event: 'server', server: event.server, reason: event.reason };
    case 'reranker-fallback':
      return { ...head, event: 'fallback', of: event.of, reason: event.reason };
    case 'model-round-start':
    case 'tool-search-start':
    case 'tool-call-start':
    case 'tool-call-end':
    case 'search-prepare-end':
    case 'reranker-call':
    case 'server-call-end':
    case 'batch-item-end':
    case 'request-end':
      return undefined;
  }
}
