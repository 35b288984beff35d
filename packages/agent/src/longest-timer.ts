/** The longest time, about 24 days, that a timer can wait for. A longer one would end at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;
