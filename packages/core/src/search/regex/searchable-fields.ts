import { type SearchText, type Snapshot, searchText, type Tool } from '../../catalog/index.ts';

/** The fields that a pattern is tried on, best first. */
export const FIELDS = ['name', 'description', 'parameter name', 'parameter description'] as const;

/** What is in each field of one tool, in the order of `FIELDS`. A pattern never matches across two strings. */
export type FieldTexts = readonly (readonly string[])[];

export interface SearchableFields {
  /** Read when first asked for, and kept. */
  of(tool: Tool): FieldTexts;
  /** About how many bytes are kept so far; the texts themselves are the tools'. */
  byteLength(): number;
}

export function searchableFields(
  snapshot: Snapshot,
  textOf: (tool: Tool) => SearchText = searchText,
): SearchableFields {
  const known = new Map<string, FieldTexts>();
  let bytes = 0;
  // A snapshot makes all names when the first is asked for: here, and not in the first slice of the first search.
  const [first] = snapshot.tools;
  if (first !== undefined) snapshot.modelName(first);
  return {
    of(tool) {
      let fields = known.get(tool.id);
      if (fields === undefined) {
        fields = readFields(snapshot, tool, textOf(tool));
        known.set(tool.id, fields);
        bytes += TOOL_BYTES + TEXT_BYTES * fields.reduce((sum, texts) => sum + texts.length, 0);
      }
      return fields;
    },
    byteLength: () => bytes,
  };
}

/** Of a tool its place in the map and its lists; of a text its place in a list. */
const TOOL_BYTES = 256;
const TEXT_BYTES = 8;

/** A tool goes by two names: the one that a model sees, and the one that its owner wrote. */
function readFields(snapshot: Snapshot, tool: Tool, text: SearchText): FieldTexts {
  const modelName = snapshot.modelName(tool);
  return [
    modelName === tool.name ? [tool.name] : [modelName, tool.name],
    [text.description],
    text.parameterNames,
    text.parameterDescriptions,
  ];
}
