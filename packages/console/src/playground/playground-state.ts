import { linkText } from '../shell/link-text.ts';

/** What a link to the playground holds. */
export interface PlaygroundState {
  readonly q?: string;
  readonly catalog?: string;
  readonly limit?: number;
  /** The unfolded tool. */
  readonly tool?: string;
  /** The tool whose absence is explained. */
  readonly why?: string;
  /** The engine that the rows are sorted by. @default the first */
  readonly sort?: string;
  /** `regex` reads the query as a pattern, which some clients' models search with. @default the gateway's own engine */
  readonly engine?: 'regex';
}

const MAX_LIMIT = 20;

/** A link is typed by people: what it can't mean is left out. */
export function readPlaygroundState(search: Record<string, unknown>): PlaygroundState {
  const limit = Number(search.limit);
  const texts = ['q', 'catalog', 'tool', 'why', 'sort'] as const;
  const state = Object.fromEntries(texts.map((name) => [name, linkText(search[name])]));
  const known = Object.entries(state).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(known),
    ...(search.engine === 'regex' ? { engine: 'regex' as const } : {}),
    ...(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT ? { limit } : {}),
  };
}
