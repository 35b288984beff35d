import type { Dialect, DialectUpstream } from '../dialect.ts';
import { ENDPOINTS } from '../http/index.ts';
import { createModelUpstream } from '../model/index.ts';
import { rehearsalModel } from './rehearsal-model.ts';

/**
 * The rehearsal as an upstream of any dialect. It carries whatever the dialect's own API carries: references, marks, searches of
 * the client's and of the provider's.
 */
export function rehearsal<D extends Dialect>(dialect: D): DialectUpstream<D> {
  return createModelUpstream({ dialect, model: rehearsalModel(), transport: ENDPOINTS[dialect].transport });
}
