/** The longest time that a timer can wait for, about 24 days. A longer one would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;
