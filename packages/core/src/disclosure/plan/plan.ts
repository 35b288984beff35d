import type { JsonSchema, Snapshot, Tool } from '../../catalog/index.ts';
import type { Form } from './form.ts';

/** A tool as any protocol declares it. */
export interface Definition {
  /** The name that the model sees, and that messages therefore contain. */
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** One of our own tools: the model calls it, and the loop answers. */
export interface Own extends Definition {
  readonly role: 'search' | 'describe' | 'call';
  /** For a second search tool: what it takes; the first takes what the plan says. */
  readonly engine?: PlanEngine;
}

/** A second search tool. */
export interface SecondSearch {
  readonly name: string;
  readonly engine: PlanEngine;
}

/** A tool of the catalog as the model sees it. */
export interface Shown extends Definition {
  readonly tool: Tool;
  /** `full`: as its owner defined it. `stub`: parameters replaced, a long description cut. `mark`: full, with `defer_loading`. */
  readonly as: 'full' | 'stub' | 'mark';
}

/** The cost of a request's tools by the given token count: with all definitions, and with this plan. */
export interface PlanTokens {
  readonly before: number;
  readonly after: number;
}

/** What every plan has. */
interface AnyPlan {
  readonly snapshot: Snapshot;
  /** Tools of the catalog that are declared from the first message on, in catalog order: without deferral, every one that the caller may see. */
  readonly shown: readonly Shown[];
  /** What is declared from the first message on: our own tools and `shown`, bare. One array for all turns, so that a wire can cache what it renders. */
  readonly definitions: readonly Definition[];
  /** Text for the system prompt: how to search, and what can be searched for. Byte-stable for a snapshot. Without deferral there is none. */
  readonly note?: string;
  readonly reason: string;
  readonly tokens: PlanTokens;
}

/** Every tool is sent as it is. A wire passes the request through unchanged. */
export interface InlinePlan extends AnyPlan {
  readonly kind: 'inline';
}

/** Some tools are deferred. Contains the whole fixed part of what is sent, made once per snapshot and settings. */
export interface DeferPlan extends AnyPlan {
  readonly kind: 'defer';
  readonly form: Form;
  readonly engine: PlanEngine;
  /** Deferred tools by the names that the model sees, because wires find those in messages. */
  readonly deferred: ReadonlySet<string>;
  /**
   * If search is off: what the protocol calls its own search tools. A model may still call those, or ours, from memory; such calls
   * are held and answered. @default search is not off
   */
  readonly pastSearches?: readonly string[];
  /** Our tools, in the order of their declaration, before every other tool. Empty if the provider or the client searches. */
  readonly own: readonly Own[];
  /** Names of stubs whose description is cut, if any. The answer to a search has the whole description. */
  readonly cut?: ReadonlySet<string>;
}

/** What to send: all tools as they are, or a search with some tools deferred. Made by `toolbox.plan()`. */
export type Plan = InlinePlan | DeferPlan;

/** What the search takes: words, or a regular expression. */
export type PlanEngine = 'text' | 'regex';

/** What is sent this time: the plan's fixed part, and what the conversation adds. */
export interface View {
  readonly plan: Plan;
  /** Tools that the conversation has revealed and that are still in the catalog, in full, in the order in which each was first found or called. */
  readonly revealed: readonly Shown[];
  /**
   * Text for the end of the latest user message with its own text: prefetched tools, changes of the catalog.
   * At the tail, because anything earlier would change bytes that the provider has cached.
   */
  readonly tail?: string;
}

/**
 * The tools to declare for a view, in your own loop: the plan's fixed part and, if the form appends, what was revealed.
 * The same array as long as there is nothing to add.
 *
 * @example
 * const tools = definitions(toolbox.view(plan, memory)); // [{ name, description, schema }]
 */
export function definitions(view: View): readonly Definition[] {
  const { plan, revealed } = view;
  if (plan.kind === 'inline' || plan.form.reveal !== 'append' || revealed.length === 0) return plan.definitions;
  return [...plan.definitions, ...revealed.map(bareDefinition)];
}

/** Name, description and schema, without internal fields. */
export function bareDefinition({ name, description, schema }: Definition): Definition {
  return { name, description, schema };
}

/**
 * A real call as the model wrote it: in the bridge form the client's history contains `create_issue`, where the model had called
 * `tool_call`. Calls in other forms, and to other tools, stay as they are.
 */
export function wrapCall(
  plan: DeferPlan,
  call: { readonly name: string; readonly arguments: unknown },
): { readonly name: string; readonly arguments: unknown } {
  if (plan.form.invoke !== 'wrapped' || !plan.deferred.has(call.name)) return call;
  const wrapper = plan.own.find((own) => own.role === 'call');
  return wrapper === undefined
    ? call
    : { name: wrapper.name, arguments: { name: call.name, arguments: call.arguments } };
}
