import type { FitModel } from '@quartermaster/core/search';

/**
 * What the cosines of `tools-minilm-v5` tell of whether anything fits, beside the first stage's evidence. Printed by
 * `packages/semantic/training/ranker/fit_verdict.py --reranked`.
 */
export const FIT_MODEL: FitModel = {
  meaning: 8.2,
  bigrams: 5.9,
  cosine: 13.3,
  threshold: 8.9,
  perTenfold: 0.8,
};
