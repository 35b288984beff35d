import { setFlagsFromString } from 'node:v8';

/** How much the heap may grow, in percent of what was in use after the last collection, before the next one. */
const GROWTH_PERCENT = 100;

/**
 * Has the engine collect garbage when the heap has doubled. By default it lets a small heap grow fourfold, so that most of the memory of
 * a gateway whose lists change all the time is lists that were let go long ago. Holds for the whole process, its workers included, so
 * only a program that is nothing but a gateway should call it.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
