import { setFlagsFromString } from 'node:v8';

/** How much the heap may grow after a collection before the next one, in percent of what was in use. */
const GROWTH_PERCENT = 100;

/**
 * Makes the engine collect garbage when the heap has doubled. By default it lets a small heap grow fourfold, so most of the memory of
 * a gateway whose lists change all the time is lists that were dropped long ago. Applies to the whole process, including its workers,
 * so only a program that is nothing but a gateway should call it.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
