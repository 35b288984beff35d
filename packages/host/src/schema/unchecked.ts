/** A part of a schema that was not checked, so that the value was accepted there. */
export interface Unchecked {
  readonly reason:
    | 'out-of-steps'
    | 'out-of-pattern-steps'
    | 'too-deep'
    | 'pattern-not-supported'
    | 'reference-not-found'
    | 'endless-reference'
    | 'not-a-schema';
  /** The pattern, the reference or what stands where a schema should, cut short; empty where the reason says it all. */
  readonly detail: string;
}
