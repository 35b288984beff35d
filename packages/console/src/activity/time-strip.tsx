import type { RequestRecord } from '@quartermaster/client';
import type { ReactNode } from 'react';
import { seconds } from '../shell/numbers.ts';

type Step = RequestRecord['steps'][number];

const WORDS: Readonly<Record<Step['kind'], string>> = { model: 'model', search: 'search', call: 'tool calls' };

/** A share of the strip from which on its time fits into it. */
const ROOMY = 0.09;

/** Where the time of a request went, true to scale. */
export function TimeStrip({ record }: { readonly record: RequestRecord }): ReactNode {
  const { steps, durationMs } = record;
  if (steps.length === 0) return null;
  const whole = Math.max(durationMs, ...steps.map(({ fromMs, tookMs }) => fromMs + tookMs), 1);
  const searching = sum(steps.filter(({ kind }) => kind === 'search'));
  const label = steps.map((step) => `${step.tool ?? step.kind} ${seconds(step.tookMs)}`).join(', ');
  const kinds = (['model', 'search', 'call'] as const).filter((kind) => steps.some((step) => step.kind === kind));
  return (
    <section aria-label="Time of this request">
      <h2>
        {seconds(durationMs)}
        {kinds.includes('search') ? `, ${seconds(searching)} of them searching` : ''}
      </h2>
      <div className="time" role="img" aria-label={label}>
        {steps.map(({ kind, fromMs, tookMs, tool }) => (
          <i
            key={`${kind} ${fromMs} ${tool ?? ''}`}
            className={kind}
            title={`${tool ?? kind}: ${seconds(tookMs)}`}
            style={{ left: `${(100 * fromMs) / whole}%`, width: `${Math.max(0.4, (100 * tookMs) / whole)}%` }}
          >
            {tookMs / whole > ROOMY ? seconds(tookMs) : ''}
          </i>
        ))}
      </div>
      <p className="legend small dim">
        {kinds.map((kind) => (
          <span key={kind}>
            <i className={`swatch ${kind}`} /> {WORDS[kind]}
          </span>
        ))}
      </p>
    </section>
  );
}

function sum(steps: readonly Step[]): number {
  return steps.reduce((total, { tookMs }) => total + tookMs, 0);
}
