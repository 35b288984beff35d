import { mapUpstreams, type Upstreams } from '../configured-upstreams.ts';
import type { RequestRecord } from '../events/index.ts';
import { isPoorReach } from './describe-reach.ts';

/** Learns from answered requests which models don't search. */
export interface Adaptation {
  note(record: RequestRecord): void;
  /** Upstreams that offer fitting tools to models that have turned out not to search. */
  adapt(upstreams: Upstreams): Upstreams;
}

/** Clients choose names of models: nothing is learned about more than these. */
const MOST_MODELS = 1_000;

/**
 * Once a model needs offers it keeps them: with them it calls tools, and would look like one that searches. What is learned
 * lasts as long as the process.
 */
export function createAdaptation(): Adaptation {
  const models = new Map<string, { deferred: number; neither: number; offersTools: boolean }>();
  return {
    note({ model = '', reach }) {
      if (reach === undefined) return;
      const known = models.get(model) ?? { deferred: 0, neither: 0, offersTools: false };
      if (models.size < MOST_MODELS) models.set(model, known);
      known.deferred += 1;
      if (reach === 'neither') known.neither += 1;
      known.offersTools ||= isPoorReach(known);
    },
    adapt: (upstreams) =>
      mapUpstreams(upstreams, (upstream, model) =>
        models.get(model)?.offersTools === true ? { ...upstream, offersTools: true } : upstream,
      ),
  };
}
