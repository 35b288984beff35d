import type { Tool, ToolboxOptions } from '@quartermaster/core';
import type { Shown, TransportCapabilities } from '@quartermaster/core/disclosure';
import { readDefinitions } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
import { type Planned, type PlanQuestion, planRequest } from '@quartermaster/core/loop';
import { type AdapterTransport, requestToolboxes, type ToolSearchOptions } from './request-toolbox.ts';

/** An option of adapters whose requests can be given more tools than they declare. */
export interface CatalogOptions {
  /**
   * Tools that can be found although no request declares them: ours, or definitions in any known format. The client gets their
   * calls like any other.
   * @default none
   */
  readonly catalog?: readonly object[];
}

type PlannerOptions = ToolSearchOptions & CatalogOptions & Pick<ToolboxOptions, 'execute' | 'hooks'>;

/** A request, and what its protocol says about it. */
interface AskedRequest<Request, Part>
  extends Pick<PlanQuestion<Request, Part>, 'wire' | 'request' | 'opened' | 'search'> {
  readonly model: string | undefined;
  /** The host, as a row of `transports`, if the options name none. @default the adapter's own */
  readonly transport?: string;
  /** The declared tools. Not read if the host serves the request. */
  tools(): readonly Tool[];
  /** What identifies the declared tools. */
  readonly key: unknown;
  /** Whether the request passes unchanged if there is no tool at all. @default false */
  readonly needsTools?: boolean;
  /** Whether there are calls to answer even if nothing is deferred. @default if tools are executed inside the loop */
  readonly executes?: boolean;
  /** Whether search results contain what a description would say. @default false */
  readonly describe?: false;
  /** Whether the host, or the client itself, does all that the request asks for. @default it does not */
  isServed?(can: TransportCapabilities): boolean;
  /** Whether the host would reject the request's parts of tool search. @default it would not */
  isForeign?(can: TransportCapabilities): boolean;
  /** The request with these tools in addition to its own. */
  declare(shown: readonly Shown[]): Request;
}

/** What happens to a request, and which tools are executed inside the loop. */
export interface PlannedRequest<Request, Part> {
  readonly planned: Planned<Request, Part>;
  readonly isLocal?: (tool: Tool) => boolean;
}

/** Decides for each request, from what it declares, the catalog of the options, and what the host supports. */
export function requestPlanner(
  options: PlannerOptions,
  adapter: AdapterTransport,
): <Request, Part>(asked: AskedRequest<Request, Part>) => PlannedRequest<Request, Part> {
  const { catalog: extra = [], ...rest } = options;
  const catalog = readDefinitions(extra);
  const toolboxes = requestToolboxes(rest, adapter);
  return ({ wire, request, opened, model, transport, search, key, describe, declare, ...asked }) => {
    const isClient = search?.kind === 'client';
    const { can, limits, options: planOptions } = toolboxes.settings(model, { transport, isClient });
    // A host's own search knows only what is declared.
    const isServed = (rest.form ?? 'auto') === 'auto' && catalog.length === 0 && asked.isServed?.(can) === true;
    if (isServed) return { planned: { kind: 'pass', request } };
    const declared = asked.tools();
    if (asked.needsTools === true && declared.length + catalog.length === 0)
      return { planned: { kind: 'pass', request } };
    // What the client declares comes first: a catalog tool of the same name is the client's own.
    const ids = new Set(declared.map(({ id }) => id));
    const added = catalog.filter(({ id }) => !ids.has(id));
    const ours = new Set(added.map(({ id }) => id));
    const local = rest.execute !== undefined && added.length > 0 ? { isLocal: ({ id }: Tool) => ours.has(id) } : {};
    const toolbox = toolboxes.toolbox([...declared, ...added], JSON.stringify(key));
    const planned = planRequest({
      ...{ wire, request, toolbox, limits, search },
      ...defined({ opened }),
      options: { ...planOptions, ...defined({ describe }) },
      isForeign: asked.isForeign?.(can) === true,
      executes: asked.executes === true || 'isLocal' in local,
      /** Catalog tools are in no request, so they must be declared if nothing is deferred: the model could not reach them otherwise. */
      whole(plan) {
        const shown = plan?.shown.filter(({ tool }) => ours.has(tool.id)) ?? [];
        return shown.length === 0 ? request : declare(shown);
      },
    });
    return { planned, ...local };
  };
}
