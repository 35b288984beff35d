/** What is left of a budget. Engines take from it as they go and stop, to be resumed or given up, when it is spent. */
export interface StepMeter {
  left: number;
}
