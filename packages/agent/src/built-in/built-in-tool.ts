import type { Tool } from '@quartermaster/core';
import { createTool, type JsonObject } from '@quartermaster/core/catalog';
import type { Confinement } from './confinement.ts';
import type { FileCheckpoints } from './file-checkpoints.ts';

/** A tool of this package, named as in the agent SDK. */
export interface BuiltInTool {
  readonly tool: Tool;
  /** Whether it changes files, so that `acceptEdits` allows it. */
  readonly editsFiles: boolean;
  /** What a rule such as `Read(src/*)` or `Bash(npm test:*)` is compared with. Throws if the input lacks it. */
  subject(input: JsonObject): string;
  /** The answer for the model. Rejects with an error that says what went wrong. */
  run(input: JsonObject, signal: AbortSignal): Promise<string>;
}

export type BuiltInMaker = (confinement: Confinement, checkpoints?: FileCheckpoints) => BuiltInTool;

export interface BuiltInParts extends Pick<BuiltInTool, 'subject' | 'run'> {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** What it changes. @default nothing */
  readonly changes?: 'files' | 'anything';
}

export function builtIn(parts: BuiltInParts): BuiltInTool {
  const { name, description, properties, required, changes, subject, run } = parts;
  const tool = createTool({
    name,
    description,
    schema: { type: 'object', properties, required: [...required], additionalProperties: false },
    extras: { annotations: { readOnlyHint: changes === undefined } },
  });
  return { tool, editsFiles: changes === 'files', subject, run };
}

/** The real path that a call names; the working folder if it names none. */
export function pathIn(input: JsonObject, key: string, confinement: Confinement): string {
  return confinement.real(textIn(input, key) || '.');
}

export function textIn(input: JsonObject, key: string): string {
  return typeof input[key] === 'string' ? input[key] : '';
}
