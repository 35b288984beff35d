import type { Access, UsedUp } from '../access/index.ts';

/** One request while it is being answered. */
export interface RequestContext {
  readonly requestId: string;
  readonly request: Request;
  readonly access: Access;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** For metrics and logs. */
  readonly facts: RequestFacts;
}

interface RequestFacts {
  route: string;
  model?: string;
  upstream?: string;
  used?: UsedUp;
  /** The names of the tools that the response calls. */
  called?: readonly string[];
}
