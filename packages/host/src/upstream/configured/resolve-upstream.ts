import { compileGlob } from '@quartermaster/core/catalog';
import { capabilitiesOf, type TransportCapabilities } from '@quartermaster/core/disclosure';
import { contextWindow, type ModelLimits } from '@quartermaster/core/gate';
import type { UpstreamSettings } from '../../config/index.ts';
import type { DialectName, DialectUpstream } from '../dialect.ts';
import { createUpstreamFor, transportOf, type UpstreamEnvironment } from './create-upstream-for.ts';

/** The upstream that serves a model. */
export interface ResolvedUpstream {
  readonly settings: UpstreamSettings;
  readonly model: string;
  readonly limits: ModelLimits;
  /** What it can carry when it is asked in this dialect: decides the form. */
  capabilities(dialect: DialectName): TransportCapabilities;
  /** Builds it, once for each dialect. Throws a `SettingError` where a package is missing. */
  for<D extends DialectName>(dialect: D): Promise<DialectUpstream<D>>;
}

/** The first entry with a pattern that fits the model's name; none is an answer too. Nothing is built or imported yet. */
export function resolveUpstream(
  upstreams: readonly UpstreamSettings[],
  model: string,
  environment: UpstreamEnvironment = {},
): ResolvedUpstream | undefined {
  const settings = upstreamFor(upstreams, model);
  if (settings === undefined) return undefined;
  const built = new Map<DialectName, Promise<DialectUpstream<DialectName>>>();
  return {
    settings,
    model,
    limits: contextWindow({ override: settings.contextTokens, model }),
    capabilities: (dialect) => capabilitiesFor(settings, dialect, model),
    for<D extends DialectName>(dialect: D) {
      const known = built.get(dialect) as Promise<DialectUpstream<D>> | undefined;
      if (known !== undefined) return known;
      const upstream = createUpstreamFor(dialect, { ...environment, settings, model });
      // A package may be installed while we run: a failure is not remembered.
      upstream.catch(() => built.delete(dialect));
      built.set(dialect, upstream as unknown as Promise<DialectUpstream<DialectName>>);
      return upstream;
    },
  };
}

export function upstreamFor(upstreams: readonly UpstreamSettings[], model: string): UpstreamSettings | undefined {
  return upstreams.find(({ models }) => models.some((pattern) => compileGlob(pattern).matches(model)));
}

/** The settings know the host better than the table: a proxy may lack references, or have them for a model it renames. */
function capabilitiesFor(settings: UpstreamSettings, dialect: DialectName, model: string): TransportCapabilities {
  const known = capabilitiesOf(transportOf(dialect, settings.provider), { model });
  if (settings.references === undefined || dialect !== 'anthropic') return known;
  if (settings.references) return { ...known, references: true, deferMark: true };
  return { ...known, references: false, deferMark: false, hostedSearch: [] };
}
