import { compileGlob } from '@quartermaster/core/catalog';
import { checkOptionNames } from '@quartermaster/core/internal';
import { invalidSetting } from '../invalid-setting.ts';
import type { ResolvedModel } from '../model/index.ts';
import type { ModelUsage, SDKResultError, Usage } from '../sdk-message.ts';
import { addUsage, NO_USAGE } from './tally.ts';

/** Dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Tokens read from the provider's cache. @default `input` */
  readonly cacheRead?: number;
  /** Tokens written to the provider's cache. @default `input` */
  readonly cacheWrite?: number;
}

export interface LedgerOptions {
  /** Prices of tokens, by model name or pattern with `*`. The first match counts. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Overrides prices. */
  readonly costOf?: ((usage: Usage, model: string) => number) | undefined;
  readonly maxBudgetUsd?: number | undefined;
}

/** What a query has cost so far, including its subagents. */
export interface Ledger {
  count(usage: Usage, model: ResolvedModel): void;
  costUsd(): number;
  modelUsage(): Readonly<Record<string, ModelUsage>>;
  /** Why the model must not be asked again; undefined if it may. */
  refusal(model: string): { readonly subtype: SDKResultError['subtype']; readonly message: string } | undefined;
}

/** Throws a `SettingError` for an invalid price or budget, and for a budget without prices to compute it with. */
export function createLedger(options: LedgerOptions): Ledger {
  const { costOf, maxBudgetUsd } = options;
  checkOptions(options);
  const prices = Object.entries(options.prices ?? {}).map(([name, price]) => ({ fits: compileGlob(name), price }));
  const priceOf = (model: string): ModelPrice | undefined => prices.find(({ fits }) => fits.matches(model))?.price;
  const costOfModel = (usage: Usage, model: string): number => {
    if (costOf !== undefined) return costOf(usage, model);
    const price = priceOf(model);
    return price === undefined ? 0 : costAt(price, usage);
  };
  const byModel = new Map<string, { readonly usage: Usage; readonly window: number }>();
  const costUsd = (): number => [...byModel].reduce((sum, [model, { usage }]) => sum + costOfModel(usage, model), 0);
  return {
    count(usage, { model, limits }) {
      const before = byModel.get(model)?.usage ?? NO_USAGE;
      byModel.set(model, { usage: addUsage(before, usage), window: limits.contextTokens });
    },
    costUsd,
    modelUsage: () =>
      Object.fromEntries(
        [...byModel].map(([model, { usage, window }]) => [
          model,
          {
            inputTokens: usage.input_tokens,
            outputTokens: usage.output_tokens,
            cacheReadInputTokens: usage.cache_read_input_tokens,
            cacheCreationInputTokens: usage.cache_creation_input_tokens,
            costUSD: costOfModel(usage, model),
            contextWindow: window,
          },
        ]),
      ),
    refusal(model) {
      if (maxBudgetUsd === undefined) return undefined;
      if (costOf === undefined && priceOf(model) === undefined) {
        const message = `maxBudgetUsd is ${maxBudgetUsd}, but prices has none for the model ${JSON.stringify(model)}`;
        return { subtype: 'error_during_execution', message };
      }
      const spent = costUsd();
      if (spent < maxBudgetUsd) return undefined;
      const message = `The query has cost $${spent.toFixed(4)}; maxBudgetUsd is ${maxBudgetUsd}`;
      return { subtype: 'error_max_budget_usd', message };
    },
  };
}

function costAt({ input, output, cacheRead = input, cacheWrite = input }: ModelPrice, usage: Usage): number {
  const millionths =
    usage.input_tokens * input +
    usage.output_tokens * output +
    usage.cache_read_input_tokens * cacheRead +
    usage.cache_creation_input_tokens * cacheWrite;
  return millionths / 1_000_000;
}

function checkOptions({ prices = {}, costOf, maxBudgetUsd }: LedgerOptions): void {
  for (const [model, price] of Object.entries(prices)) {
    checkOptionNames(`prices[${JSON.stringify(model)}]`, price, 'input output cacheRead cacheWrite');
    const amounts = [price.input, price.output, price.cacheRead ?? 0, price.cacheWrite ?? 0];
    if (amounts.every((amount) => Number.isFinite(amount) && amount >= 0)) continue;
    const problem = `prices has ${JSON.stringify(price)} for ${JSON.stringify(model)}; allowed: input and output, dollars for a million tokens`;
    throw invalidSetting({ setting: 'prices', value: model }, problem);
  }
  if (maxBudgetUsd === undefined) return;
  const place = { setting: 'maxBudgetUsd', value: maxBudgetUsd };
  if (!(maxBudgetUsd > 0)) throw invalidSetting(place, `maxBudgetUsd is ${maxBudgetUsd}; allowed: dollars, above 0`);
  if (costOf === undefined && Object.keys(prices).length === 0) {
    const problem = `maxBudgetUsd is ${maxBudgetUsd}, but nothing says what tokens cost: give prices, such as { 'claude-*': { input: 5, output: 25 } }, or costOf, or list prices in quartermaster.yaml`;
    throw invalidSetting(place, problem);
  }
}
