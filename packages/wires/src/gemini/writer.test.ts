import { expect, it } from 'vitest';
import { sumUsageMetadata } from './writer.ts';

it('adds counts, adds details by modality, and takes anything else from the later round', () => {
  const first = {
    promptTokenCount: 10,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 8 },
      { modality: 'IMAGE', tokenCount: 2 },
    ],
    trafficType: 'ON_DEMAND',
  };
  const second = {
    promptTokenCount: 5,
    thoughtsTokenCount: 3,
    promptTokensDetails: [
      { modality: 'AUDIO', tokenCount: 1 },
      { modality: 'TEXT', tokenCount: 4 },
    ],
    trafficType: 'PROVISIONED',
  };
  expect(sumUsageMetadata(first, second)).toEqual({
    promptTokenCount: 15,
    thoughtsTokenCount: 3,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 12 },
      { modality: 'IMAGE', tokenCount: 2 },
      { modality: 'AUDIO', tokenCount: 1 },
    ],
    trafficType: 'PROVISIONED',
  });
});
