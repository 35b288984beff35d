import { parseTools, type Tool } from '../catalog/index.ts';

/** Tools as they are, or out of definitions in any known format. One that can't be read is an error: a tool must not go missing in silence. */
export function readDefinitions(list: readonly object[]): readonly Tool[] {
  return list.every(isTool) ? list : parseTools(list, { onProblem: 'throw' }).tools;
}

function isTool(value: object): value is Tool {
  return 'id' in value && 'policy' in value && 'extras' in value && 'schema' in value;
}
