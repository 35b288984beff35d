import { describeReach } from '@quartermaster/gateway';
import type { Config } from '@quartermaster/host/config';
import { openConfiguredStore } from '../serving/index.ts';
import { counted } from '../terminal/index.ts';
import type { Check } from './check.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;

/** Whether models searched for tools that they were not shown, if the settings allow recording it. */
export async function checkReach({
  store: settings,
  insight,
}: Pick<Config, 'store' | 'insight'>): Promise<readonly Check[]> {
  if (insight.keep === 'off') return [];
  const store = await openConfiguredStore(settings);
  try {
    const fromDay = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);
    const models = describeReach(await store.insight.cells({ fromDay }));
    if (models.length === 0) {
      return [{ area: 'reach', status: 'note', message: `no response with deferred tools in the last ${DAYS} days` }];
    }
    return models.map(({ model, form, deferred, searched, called, neither, isPoor }): Check => {
      const rest = `${called} called a tool without searching, ${neither} did neither`;
      const message = `${model} (${form}): of ${counted(deferred, 'response')}, ${searched} searched, ${rest}`;
      if (!isPoor) return { area: 'reach', status: 'ok', message };
      const fix = 'deferral: adaptive, tools.pins or tools.listing_tokens, if those conversations needed a tool';
      return { area: 'reach', status: 'problem', message, fix };
    });
  } finally {
    await store.close();
  }
}
