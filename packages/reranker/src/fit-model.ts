import type { FitModel } from '@quartermaster/core/search';

/**
 * What the cosines of `tools-minilm-v5` tell of whether anything fits, beside the first stage's evidence. Printed by
 * `packages/semantic/training/ranker/calibrate.py`.
 */
export const FIT_MODEL: FitModel = {
  meaning: 4.02,
  bigrams: 2.89,
  cosine: 6.52,
  threshold: 4.19,
  perTenfold: 0.39,
};
