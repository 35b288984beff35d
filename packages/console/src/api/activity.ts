/** Views of the list, by the names that the gateway gives them. */
export const OUTCOMES = ['nothing', 'refused', 'unsearched', 'failed', 'loss'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** How many requests the screen holds, and counts. */
export const MOST_RECORDS = 500;
