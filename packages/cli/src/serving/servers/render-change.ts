import { changedFields, type DefinitionChange } from '@quartermaster/mcp';
import { oneLine, type Terminal } from '../../terminal/index.ts';

/** A changed definition for people: before and after, field by field. */
export function renderChange(change: DefinitionChange, { paint }: Terminal): string {
  const lines = changedFields(change).flatMap(({ field, before, after }) => [
    `  ${field}`,
    ...(change.isNew === true ? [] : [`  - ${whole(before)}`]),
    `  + ${whole(after)}`,
  ]);
  const name = paint.bold(whole(change.tool));
  return [change.isNew === true ? `${name} (new)` : name, ...lines].join('\n');
}

/** Nothing is cut here, because a person decides by it; texts that are too long say so themselves. */
function whole(text: string | null): string {
  return text === null ? 'nothing' : oneLine(text, Number.POSITIVE_INFINITY);
}
