import type { LogEntry } from '@quartermaster/gateway';
import { oneLine, type Terminal } from '../../terminal/index.ts';

/** One line for each request. The client chooses the model's name, so control characters are removed from it. */
export function renderLogEntry(entry: LogEntry, { paint, width }: Terminal, now: Date): string {
  const { status, route, path, model, upstream, durationMs, errorType, work, reason, error, code, place } = entry;
  const { decision, outcome, found, tool } = entry;
  const shown = entry.level === 'debug' ? 'debug' : String(status ?? '–');
  const facts = [
    route,
    path,
    entry.level === 'debug' ? entry.event : undefined,
    entry.level === 'debug' ? decision : undefined,
    outcome,
    tool,
    found,
    model === undefined ? undefined : `${model} (${upstream ?? 'no upstream'})`,
    work,
    errorType,
    reason,
    error,
    code,
    place,
    durationMs === undefined ? undefined : `${durationMs} ms`,
  ].filter((fact) => fact !== undefined);
  const text = oneLine(facts.join('  '), width);
  return `${paint.dim(now.toTimeString().slice(0, 8))}  ${entry.level === 'info' ? paint.green(shown) : paint.yellow(shown)}  ${text}`;
}
