import { DIALECTS, type DialectName, type DialectUpstream } from '../dialect.ts';
import { createModelUpstream } from '../model/index.ts';
import { rehearsalModel } from './rehearsal-model.ts';

/**
 * The mock model as an upstream of any dialect. It carries whatever the dialect's own API carries: references, marks, and searches
 * by the client or the provider.
 */
export function rehearsal<D extends DialectName>(dialect: D): DialectUpstream<D> {
  return createModelUpstream({ dialect, model: rehearsalModel(), transport: DIALECTS[dialect].endpoint.transport });
}
