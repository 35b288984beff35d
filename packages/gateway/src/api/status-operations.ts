import type { Operation } from './api.ts';
import { choice, named, record, type Schema, TEXT } from './schema.ts';

const OK: Schema = record({ status: choice(['ok']) });

export const LIVEZ: Operation = { endpoint: undefined, summary: 'Whether the process responds.', answer: OK };
export const READYZ: Operation = {
  endpoint: undefined,
  summary: 'Whether the gateway can serve requests; 503 with the reasons if not.',
  answer: record({ status: choice(['ready']) }),
};
export const HEALTHZ: Operation = { endpoint: undefined, summary: 'Whether the store responds.', answer: OK };
export const OPEN_API: Operation = {
  endpoint: undefined,
  summary: 'The OpenAPI document of the gateway.',
  answer: { ...named({}) },
};
export const METRICS: Operation = {
  endpoint: 'metrics',
  summary: 'Metrics in the Prometheus text format.',
  answer: TEXT,
  answerType: 'text/plain',
};
