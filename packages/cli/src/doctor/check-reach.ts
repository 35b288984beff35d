import { describeReach } from '@quartermaster/gateway';
import type { Config } from '@quartermaster/host/config';
import { withStore } from '../serving/index.ts';
import { counted } from '../terminal/index.ts';
import { type Check, ok, problem, remark } from './check.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;

/** Whether models searched for tools that they were not shown, if the settings allow recording it. */
export async function checkReach({
  store: settings,
  insight,
}: Pick<Config, 'store' | 'insight'>): Promise<readonly Check[]> {
  if (insight.keep === 'off') return [];
  const fromDay = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);
  const models = describeReach(await withStore(settings, (store) => store.insight.cells({ fromDay })));
  if (models.length === 0) return [remark('reach', `no response with deferred tools in the last ${DAYS} days`)];
  return models.map(({ model, form, deferred, searched, called, neither, isPoor }) => {
    const rest = `${called} called a tool without searching, ${neither} did neither`;
    const message = `${model} (${form}): of ${counted(deferred, 'response')}, ${searched} searched, ${rest}`;
    return isPoor ? problem('reach', message, FIX) : ok('reach', message);
  });
}

const FIX = 'deferral: adaptive, tools.pins or tools.listing_tokens, if those conversations needed a tool';
