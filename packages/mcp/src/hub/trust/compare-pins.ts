import { createSnapshot, parseTools, type Tool } from '@quartermaster/core';
import { type ChangedTool, diffSnapshots, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { digest } from '../../digest.ts';
import type { Pin } from '../../store/index.ts';
import type { ReadDefinition } from '../definitions/index.ts';

/** A definition that differs from its pin. */
export interface DefinitionChange extends ChangedTool {
  /** The tool's id. */
  readonly tool: string;
  /** Whether the tool is left out of the catalog until the change is accepted. */
  readonly isHeld: boolean;
  /** Whether the tool was never accepted: then there is no earlier definition. */
  readonly isNew?: true;
  /** Identifies this change among other changes of the same tool. */
  readonly hash: string;
}

/** Which definitions are held back until they are accepted: none, changed ones, or new ones too. */
export type Quarantine = 'off' | 'changed' | 'new';

export interface PinComparison {
  /** The definitions that may be used. */
  readonly used: readonly ReadDefinition[];
  readonly changes: readonly DefinitionChange[];
  /** The pins to store. A changed definition keeps its old pin until it is accepted. The same list as before if nothing is new. */
  readonly pins: readonly Pin[];
}

/**
 * Compares definitions with their pins. A tool without one is pinned as it is, unless new tools are held back. Pins of removed tools
 * stay, so that a tool can't change its definition by disappearing for a while. A change stays one until it is accepted: reporting it
 * does not accept it.
 */
export function comparePins(
  read: readonly ReadDefinition[],
  before: readonly Pin[],
  options: ComparisonOptions,
): PinComparison {
  const known = new Map(before.map((pin) => [pin.tool, pin]));
  const used: ReadDefinition[] = [];
  const changes: DefinitionChange[] = [];
  let isNew = false;
  for (const one of read) {
    const pin = known.get(one.tool.name);
    const change = changeOf(pin, one, options);
    if (change !== undefined) changes.push(change);
    if (change?.isHeld === true) continue;
    used.push(one);
    if (change !== undefined || pin?.hash === one.hash) continue;
    isNew = true;
    known.set(one.tool.name, { tool: one.tool.name, hash: one.hash, definition: one.definition });
  }
  return { used, changes, pins: isNew ? [...known.values()] : before };
}

interface ComparisonOptions {
  readonly server: string;
  readonly quarantine: Quarantine;
}

function changeOf(pin: Pin | undefined, now: ReadDefinition, options: ComparisonOptions): DefinitionChange | undefined {
  if (pin !== undefined) return isSame(pin, now) ? undefined : describeChange(pin, now, options);
  if (options.quarantine !== 'new') return undefined;
  const { tool, hash } = now;
  return { tool: tool.id, before: tool, after: tool, fields: [], isHeld: true, isNew: true, hash };
}

/** The plain hashes first: they are nearly always equal, and cost nothing. */
function isSame(pin: Pin, now: ReadDefinition): boolean {
  return pin.hash === now.hash || hashDefinition(pin.definition) === hashDefinition(now.definition);
}

function describeChange(pin: Pin, now: ReadDefinition, options: ComparisonOptions): DefinitionChange {
  const before = readTool(pin.definition, now.tool, options.server);
  const after = readTool(now.definition, now.tool, options.server);
  const { changed } = diffSnapshots(createSnapshot([before]), createSnapshot([after]));
  const isHeld = options.quarantine !== 'off';
  return { tool: now.tool.id, before, after, fields: changed[0]?.fields ?? [], isHeld, hash: now.hash };
}

/** From JSON, so that only differences count that are sent. */
function readTool(definition: JsonObject, now: Tool, server: string): Tool {
  const [tool] = parseTools([JSON.parse(JSON.stringify(definition))], { format: 'mcp', server }).tools;
  return { ...(tool ?? now), policy: now.policy };
}

/**
 * A hash of everything in a definition that can mislead the model or a caller. The order of keys does not count, because some
 * servers change it from run to run; nor do `_meta` and `icons`, because no model reads them.
 */
export function hashDefinition(definition: JsonObject): string {
  const { _meta, icons, ...rest } = definition;
  return digest([canonicalJson(rest)]);
}

/** JSON with sorted keys. The parser has already rejected anything nested too deeply for this. */
function canonicalJson(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = value as JsonObject;
  // An in-process server may return fields that JSON would not contain. Nothing is copied: `__proto__` would be lost.
  const names = Object.keys(members).filter((name) => members[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(members[name])}`)
    .join(',')}}`;
}
