import type { FitModel } from '@quartermaster/core/search';

/**
 * What the cosines of `tools-minilm-v5` tell of whether anything fits, beside the first stage's evidence. Printed by
 * `packages/semantic/training/ranker/calibrate.py`.
 */
export const FIT_MODEL: FitModel = {
  meaning: 3.9,
  bigrams: 2.81,
  cosine: 6.33,
  threshold: 4,
  perTenfold: 0.38,
};
