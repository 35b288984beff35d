import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';
import { contextWindow, type ModelLimits } from '@quartermaster/core/gate';
import { type Clock, deepestReason, defined, SYSTEM_CLOCK, untilAborted } from '@quartermaster/core/internal';
import type { UpstreamSettings } from '../../config/index.ts';
import { endpointUrl, isRedirect, readJson } from '../http/post.ts';
import { redirectedError, refusedError } from '../http/refused-error.ts';
import { createDeadline } from '../internal/retry.ts';
import { keyFrom, type UpstreamEnvironment, upstreamFor } from './resolve-upstream.ts';

/** A model that an upstream lists. */
export interface ListedModel {
  readonly id: string;
  readonly provider: string;
  readonly displayName?: string;
  /** ISO 8601. */
  readonly createdAt?: string;
  readonly limits: ModelLimits;
  readonly maxOutputTokens?: number;
}

/** Options of `listModels`. */
export interface ListModelsOptions extends Pick<UpstreamEnvironment, 'env' | 'fetch'> {
  readonly signal?: AbortSignal;
  /** Time limit for each upstream, for all pages of its list together. @default 10_000 */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** Someone is waiting for a list, so it has less time than a response. */
const LIST_DEFAULTS = { timeoutMs: 10_000, clock: SYSTEM_CLOCK } as const;

/** The models of all upstreams. */
export interface ListedModels {
  /** In the order of the upstreams, each model once, under the upstream that serves it. */
  readonly models: readonly ListedModel[];
  /** Upstreams whose list is unavailable. The lists of the others are complete. */
  readonly problems: readonly { readonly provider: string; readonly message: string }[];
}

const MOST_PAGES = 20;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The models that can be requested: the names in the settings that are not patterns, and those of the upstreams' own lists that match
 * the patterns. Context windows come from the settings, then from those lists, then from core's table.
 */
export async function listModels(
  upstreams: readonly UpstreamSettings[],
  options: ListModelsOptions = {},
): Promise<ListedModels> {
  const { timeoutMs, clock } = { ...LIST_DEFAULTS, ...options };
  const { signal = new AbortController().signal } = options;
  const problems: { provider: string; message: string }[] = [];
  const lists = await Promise.all(
    upstreams.map(async (settings) => {
      const named = settings.models.filter((pattern) => !pattern.includes('*')).map((id): RawModel => ({ id }));
      const deadline = createDeadline({ clock, signal });
      deadline.allow(timeoutMs, 'no list of its models');
      try {
        const asked = askModels(settings, options, deadline.signal);
        return { settings, listed: [...(await untilAborted(asked, deadline.signal)), ...named] };
      } catch (error) {
        signal.throwIfAborted();
        const isLate = deadline.signal.aborted;
        const message = isLate ? `The upstream sent no list of its models in ${timeoutMs} ms` : describeProblem(error);
        problems.push({ provider: settings.provider, message });
        return { settings, listed: named };
      } finally {
        deadline.stop();
      }
    }),
  );
  const models = new Map<string, ListedModel>();
  for (const { settings, listed } of lists) {
    for (const model of listed) {
      if (!models.has(model.id) && upstreamFor(upstreams, model.id) === settings)
        models.set(model.id, toListed(model, settings));
    }
  }
  return { models: [...models.values()], problems };
}

/** An error with an answer contains what the upstream said; without an answer, the reason is in its cause. */
function describeProblem(error: unknown): string {
  return error instanceof UpstreamError ? error.message : deepestReason(error);
}

/** One entry of an upstream's list, as far as it is read. */
interface RawModel extends Omit<ListedModel, 'provider' | 'limits'> {
  readonly contextTokens?: number;
}

function toListed(model: RawModel, settings: UpstreamSettings): ListedModel {
  const { contextTokens, ...rest } = model;
  const limits = contextWindow({ override: settings.contextTokens, upstream: contextTokens, model: model.id });
  return { ...rest, provider: settings.provider, limits };
}

async function askModels(
  settings: UpstreamSettings,
  environment: ListModelsOptions,
  signal: AbortSignal,
): Promise<readonly RawModel[]> {
  const { provider } = settings;
  if (provider === 'rehearsal') return [{ id: 'rehearsal' }];
  const list = Object.hasOwn(LISTS, provider) ? LISTS[provider] : undefined;
  if (list === undefined) return [];
  const base = settings.baseUrl ?? list.baseUrl;
  if (base === undefined) return [];
  const { fetch: ask = fetch, env } = environment;
  const headers = { ...list.headers(settings.apiKey ?? keyFrom(provider, env)), ...settings.headers };
  const models: RawModel[] = [];
  let query: string | undefined = list.query;
  for (let page = 0; query !== undefined && page < MOST_PAGES; page += 1) {
    const response = await ask(`${endpointUrl(base, list.path)}${query}`, { headers, signal, redirect: 'manual' });
    if (isRedirect(response)) throw await redirectedError(response);
    if (!response.ok) throw await refusedError(response, SYSTEM_CLOCK, { sent: new Headers(headers) });
    const body = await readJson(response, MOST_BYTES);
    if (!isJsonObject(body)) break;
    const entries = body[list.entries];
    models.push(...(Array.isArray(entries) ? entries : []).flatMap(readModel));
    query = list.next(body);
  }
  return models;
}

interface ModelList {
  readonly baseUrl?: string;
  readonly path: string;
  readonly query: string;
  /** Where the answer has the list. */
  readonly entries: string;
  headers(apiKey: string | undefined): Record<string, string>;
  /** The query for the next page. */
  next(body: JsonObject): string | undefined;
}

const bearer = (apiKey: string | undefined): Record<string, string> =>
  apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

const OPENAI_LIST: ModelList = { path: '/models', query: '', entries: 'data', headers: bearer, next: () => undefined };

const LISTS: Readonly<Record<string, ModelList>> = {
  anthropic: {
    baseUrl: 'https://api.anthropic.com',
    path: '/v1/models',
    query: '?limit=1000',
    entries: 'data',
    headers: (apiKey) => ({
      'anthropic-version': '2023-06-01',
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    }),
    next: ({ has_more: more, last_id: last }) =>
      more === true && typeof last === 'string' ? `?limit=1000&after_id=${encodeURIComponent(last)}` : undefined,
  },
  openai: { ...OPENAI_LIST, baseUrl: 'https://api.openai.com/v1' },
  'openai-compatible': OPENAI_LIST,
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    path: '/models',
    query: '?pageSize=1000',
    entries: 'models',
    headers: (apiKey) => (apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }),
    next: ({ nextPageToken: token }) =>
      typeof token === 'string' && token !== '' ? `?pageSize=1000&pageToken=${encodeURIComponent(token)}` : undefined,
  },
};

/** Hosts name the context window in many ways, and give the creation time as text or in seconds. */
function readModel(entry: unknown): readonly RawModel[] {
  if (!isJsonObject(entry)) return [];
  const id = text(entry.id) ?? text(entry.name)?.replace(/^models\//, '');
  if (id === undefined) return [];
  const displayName = text(entry.display_name) ?? text(entry.displayName);
  const seconds = number(entry.created);
  const createdAt = text(entry.created_at) ?? (seconds === undefined ? undefined : isoTime(seconds));
  const contextTokens = WINDOW_KEYS.map((key) => number(entry[key])).find((value) => value !== undefined);
  const maxOutputTokens =
    number(entry.max_tokens) ?? number(entry.max_completion_tokens) ?? number(entry.outputTokenLimit);
  return [{ id, ...defined({ displayName, createdAt, contextTokens, maxOutputTokens }) }];
}

const WINDOW_KEYS = [
  'max_input_tokens',
  'context_window',
  'context_length',
  'max_model_len',
  'max_context_length',
  'inputTokenLimit',
];

function isoTime(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}
