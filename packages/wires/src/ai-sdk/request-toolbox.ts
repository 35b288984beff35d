import type { Toolbox } from '@quartermaster/core';
import type { RequestToolboxes } from '../internal/request-toolbox.ts';
import { aiSdkWire } from './ai-sdk-wire.ts';
import { type ModelRequest, toolsOf } from './language-model-v4-shapes-2026-11.ts';

type ModelTools = NonNullable<ModelRequest['tools']>;

/**
 * The toolbox for a request's tools. `ai` makes the list again for every step, of the same descriptions and schemas: such a list
 * is recognised by what is in it, so that thousands of tools are read and written out as text only when they change.
 */
export function toolboxFinder(toolboxes: RequestToolboxes): (request: ModelRequest) => Toolbox {
  let latest: { readonly tools: ModelTools; readonly toolbox: Toolbox } | undefined;
  return (request) => {
    const tools = toolsOf(request);
    if (latest !== undefined && isSame(latest.tools, tools)) return latest.toolbox;
    const toolbox = toolboxes.toolbox(aiSdkWire.open(request).tools, JSON.stringify(tools));
    latest = { tools, toolbox };
    return toolbox;
  };
}

function isSame(left: ModelTools, right: ModelTools): boolean {
  return left.length === right.length && left.every((tool, index) => isSameTool(tool, right[index]));
}

/** Same fields with the same values, objects by identity: schemas are not changed in place. */
function isSameTool(left: object, right: object | undefined): boolean {
  if (left === right) return true;
  if (right === undefined) return false;
  const entries = Object.entries(left);
  const other = right as { readonly [key: string]: unknown };
  return (
    entries.length === Object.keys(right).length &&
    entries.every(([key, value]) => Object.hasOwn(other, key) && other[key] === value)
  );
}
