import type { Tool } from '@quartermaster/core';
import type { Shown } from '@quartermaster/core/disclosure';

/** The tool with the description and the schema that the model is to see: a stub's are not its owner's. */
export function asShown({ tool, description, schema }: Shown): Tool {
  return description === tool.description && schema === tool.schema ? tool : { ...tool, description, schema };
}
