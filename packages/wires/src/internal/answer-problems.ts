import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/** Why a list can't be read as a list of objects; undefined if it can. */
export function unlessObjects(name: string, list: unknown): string | undefined {
  return Array.isArray(list) && list.every(isJsonObject) ? undefined : `${name} is not a list of objects`;
}

/** The first problem in a list that is known to contain objects. */
export function firstProblem(list: unknown, problem: (entry: JsonObject) => string | undefined): string | undefined {
  for (const entry of list as readonly JsonObject[]) {
    const found = problem(entry);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
