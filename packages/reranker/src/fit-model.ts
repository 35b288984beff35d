import type { FitModel } from '@quartermaster/core';

/**
 * What the cosines of `tools-minilm-v3` tell of whether anything fits, beside the first stage's evidence. Printed by
 * `packages/semantic/training/ranker/fit_verdict.py --second`.
 */
export const FIT_MODEL: FitModel = {
  meaning: 9.3,
  coverage: 0,
  bigrams: 4.6,
  cosine: 13.1,
  threshold: 8.7,
};
