import { describe, expect, it } from 'vitest';
import { describeWire as describeWith, type WireSample } from '../testing/index.ts';
import { describeRounds } from './generated-rounds.fixture.ts';
import { describeTalks } from './generated-talks.fixture.ts';

/** The suite that everyone's wires can run, and generated conversations for our own. */
export function describeWire<Request, Part>(sample: WireSample<Request, Part>): void {
  describeWith({ describe, it, expect }, sample);
  const keepsAll = sample.wire.transcript !== undefined || sample.showsEverything === true;
  for (const [name, form] of Object.entries(sample.forms)) {
    if (form.search !== 'local') continue;
    describe(`generated conversations over the wire ${sample.wire.dialect} in the form ${name}`, () => {
      describeTalks(sample, form);
      if (keepsAll) describeRounds(sample, form);
    });
  }
}
