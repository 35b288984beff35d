import type { FitModel } from '@quartermaster/core';

/**
 * What the cosines of `tools-minilm-v4` tell of whether anything fits, beside the first stage's evidence. Printed by
 * `packages/semantic/training/ranker/fit_verdict.py --second`.
 */
export const FIT_MODEL: FitModel = {
  meaning: 8.5,
  coverage: 0,
  bigrams: 4.7,
  cosine: 13.2,
  threshold: 8.5,
};
