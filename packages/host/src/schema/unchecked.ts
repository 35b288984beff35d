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
  /** The pattern, the reference or the value in place of a schema, shortened; empty if the reason is enough. */
  readonly detail: string;
}
