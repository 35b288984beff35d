import { chooseForm, type Form } from '@quartermaster/core/disclosure';
import { type OpenedSearch, type Planned, planRequest } from '@quartermaster/core/loop';
import type { DialectName, DialectOf, PartOf, RequestOf } from '@quartermaster/host/upstream';
import type { ToolList } from '../catalogs/index.ts';
import { type GatewayEvent, planCost } from '../events/index.ts';
import type { GatewayUpstream } from '../upstreams.ts';

export interface ExchangeQuestion<Name extends DialectName> {
  readonly dialect: DialectOf<Name>;
  readonly request: RequestOf<Name>;
  readonly list: ToolList;
  readonly upstream: GatewayUpstream;
  /** Whether some of the tools are executed here, inside the loop. */
  readonly executes: boolean;
}

/** Decides for each request, from what it declares and what its host can do. */
export function planExchange<Name extends DialectName>(
  question: ExchangeQuestion<Name>,
): Planned<RequestOf<Name>, PartOf<Name>> {
  const { dialect, request, list, upstream, executes } = question;
  const { api, wire } = dialect;
  const can = upstream.capabilities(dialect.name);
  api.refuse?.(request, can);
  const asked = api.openSearch(request, list.searchTools);
  // What stands in a named catalog only we can search.
  const search = list.hasCatalogs && asked?.kind === 'client' ? undefined : asked;
  const isHosts = upstream.toolSearch === 'upstream' || search?.kind === 'client';
  const planned = planRequest<RequestOf<Name>, PartOf<Name>>({
    ...{ wire, search, executes, toolbox: list.toolbox, limits: upstream.limits },
    request: list.hasCatalogs ? { ...request, tools: list.declared } : request,
    options: { form: formFor(question, search), describe: api.describe },
    isServed: isHosts && api.isServed(search, can),
    // A host that knows what the dialect has for tool search knows the rest of it too.
    isForeign: !can.references && !can.deferMark,
    whole: () => (list.hasCatalogs ? { ...request, tools: list.definitions() } : request),
  });
  // What can't be served by a loop the wire refuses in its own words.
  if (planned.kind === 'loop' && planned.plan.kind === 'defer') wire.open({ ...request, tools: [] });
  return planned;
}

/** A host with references gets them; on others the settings decide, then the dialect. A client that searches by itself has decided. */
function formFor<Name extends DialectName>(
  { dialect, upstream }: ExchangeQuestion<Name>,
  search: OpenedSearch | undefined,
): Form {
  const can = upstream.capabilities(dialect.name);
  const isChosen = upstream.form !== undefined && search?.kind !== 'client' && !can.references && !can.clientSearch;
  return isChosen ? chooseForm(can, upstream.form).form : dialect.api.form(can, search);
}

/** What was decided, for events. */
export function describePlan(
  planned: Planned<object, unknown>,
): Omit<Extract<GatewayEvent, { kind: 'plan-decide' }>, 'kind' | 'requestId'> {
  if (planned.kind === 'pass') return { decision: 'pass', reason: 'the host or the client searches by itself' };
  const { plan } = planned;
  if (plan.kind === 'inline' || plan.deferred.size === 0)
    return { decision: 'inline', reason: plan.reason, cost: planCost(plan) };
  const { hidden, reveal, invoke } = plan.form;
  const form = [hidden, reveal, invoke].join(' ');
  return { decision: 'defer', reason: plan.reason, form, cost: planCost(plan), deferred: plan.deferred.size };
}
