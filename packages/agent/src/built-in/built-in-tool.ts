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

export interface BuiltInParts {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly isReadOnly: boolean;
}

export function builtInDefinition({ name, description, properties, required, isReadOnly }: BuiltInParts): Tool {
  return createTool({
    name,
    description,
    schema: { type: 'object', properties, required: [...required], additionalProperties: false },
    extras: { annotations: { readOnlyHint: isReadOnly } },
  });
}

export function textIn(input: JsonObject, key: string): string {
  return typeof input[key] === 'string' ? input[key] : '';
}
