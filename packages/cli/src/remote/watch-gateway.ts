import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { note, print } from '../command-io.ts';
import type { CommandContext, GatewayFlags, JsonFlag } from '../commands/index.ts';
import { UnavailableError } from '../input-error.ts';
import { count, counted, fixed, oneLine, type Terminal } from '../terminal/index.ts';
import { openGateway } from './gateway-client.ts';

interface WatchFlags extends GatewayFlags, JsonFlag {
  /** Stop after this many requests. */
  readonly limit?: number;
}

/** Shows requests as the gateway answers them, until it is stopped or has shown the requested number. */
export async function watchGateway(flags: WatchFlags, { io, terminal }: CommandContext): Promise<void> {
  const gateway = openGateway(flags, io.env);
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal);
  try {
    await gateway.ask(async (client) => {
      let left = flags.limit ?? Number.POSITIVE_INFINITY;
      const records = client.follow({
        signal: stop.signal,
        onOpen: () => void note(io, `Watching ${gateway.url}; Ctrl+C stops.`),
        onMissed: (missed) => void note(io, `${counted(missed, 'request')} not shown: too many at once.`),
      });
      for await (const record of records) {
        await print(io, flags.json === true ? JSON.stringify(record) : renderRecord(record, terminal));
        left -= 1;
        if (left <= 0) return;
      }
      throw new UnavailableError(`${gateway.url} closed the connection.`);
    });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', onSignal);
    stop.abort();
  }
}

/** One request as a few lines: what it was, each search, load, call and refusal, then what it saved. Fits 80 columns. */
export function renderRecord(record: unknown, terminal: Terminal): string {
  const request = isJsonObject(record) ? record : {};
  const lines = [
    ...listOf(request.searches).map((search) => ['search', searchText(search)]),
    ...listOf(request.loaded).map((load) => ['load', `${text(load.tool)}, ${counted(number(load.tokens), 'token')}`]),
    ...textsOf(request.called).map((tool) => ['call', tool]),
    ...listOf(request.refused).map((one) => ['refused', `${text(one.tool) || 'a call'}: ${text(one.reason)}`]),
    ...savedText(request.tokens).map((saved) => ['saved', saved]),
  ];
  const { paint, width } = terminal;
  return [
    paint.bold(oneLine(headline(request), width)),
    ...lines.map(([what = '', how = '']) => `  ${paint.dim(what.padEnd(8))}${oneLine(how, width - 10)}`),
  ].join('\n');
}

function headline({ atMs, route, model, status, durationMs, decision, rounds }: JsonObject): string {
  const time = new Date(number(atMs)).toTimeString().slice(0, 8);
  const parts = [
    `${time}  ${text(route)}  ${text(model)}`.trimEnd(),
    ...(number(status) >= 400 ? [`failed with ${number(status)}`] : []),
    `${(number(durationMs) / 1000).toFixed(1)} s`,
    ...(text(decision) === '' ? [] : [DECISIONS[text(decision)] ?? text(decision)]),
    ...(number(rounds) > 1 ? [counted(number(rounds), 'round')] : []),
  ];
  return parts.join(', ');
}

const DECISIONS: Readonly<Record<string, string>> = { defer: 'deferred', inline: 'sent in full', pass: 'passed on' };

function searchText({ outcome, queries, found, engine, tookMs }: JsonObject): string {
  const tools = textsOf(found);
  const asked = textsOf(queries).map((query) => `"${query}", `);
  const result = tools.length === 0 ? (OUTCOMES[text(outcome)] ?? text(outcome)) : tools.join(', ');
  return `${asked.join('')}${text(engine) || 'no engine'}, ${fixed(number(tookMs), 1)} ms: ${result}`;
}

const OUTCOMES: Readonly<Record<string, string>> = { none: 'no match', failure: 'failed', stopped: 'stopped' };

function savedText(tokens: Json | undefined): readonly string[] {
  if (!isJsonObject(tokens)) return [];
  const net = number(tokens.net);
  const [kept, added] = [counted(number(tokens.keptOut), 'token'), count(number(tokens.added))];
  return [`${count(net)} (${kept} kept out, ${added} added by searching)`];
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function number(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
