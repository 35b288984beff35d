export const CONVERSATIONS = 30;
export const TURNS = 10;
export const ASSEMBLED_TOOLS = 10_000;
export const SAMPLES = 500;

/** @type {import('@quartermaster/core/gate').ModelLimits} */
export const LIMITS = { contextTokens: 200_000, source: 'override' };

/** The least that a form must save against all definitions inline, and the most that assembling a request may take. */
export const TARGETS = { stub: 0.75, bridge: 0.98, load: 0.98, native: 0.98 };
export const TARGET_MS = 1;
