import { compileGlob } from '@quartermaster/core/catalog';
import { SettingError } from '@quartermaster/core/errors';
import { checkOptionNames, type OptionNames } from '@quartermaster/core/internal';
import type { ResolvedModel } from '../model/index.ts';
import type { ModelUsage, SDKResultError, Usage } from '../sdk-message.ts';
import { addUsage, NO_USAGE } from '../usage.ts';

/** Dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Tokens read from the provider's cache. @default as `input` */
  readonly cacheRead?: number;
  /** Tokens written to the provider's cache. @default as `input` */
  readonly cacheWrite?: number;
}

const PRICE: OptionNames<ModelPrice> = { input: true, output: true, cacheRead: true, cacheWrite: true };

export interface LedgerOptions {
  /** What tokens cost, by a model's name or a pattern with `*`. The first that fits counts. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Stronger than prices. */
  readonly costOf?: ((usage: Usage, model: string) => number) | undefined;
  readonly maxBudgetUsd?: number | undefined;
}

/** What a query has cost so far, its subagents included. */
export interface Ledger {
  count(usage: Usage, model: ResolvedModel): void;
  costUsd(): number;
  modelUsage(): Readonly<Record<string, ModelUsage>>;
  /** Why the model must not be asked once more; undefined where it may. */
  refusal(model: string): { readonly subtype: SDKResultError['subtype']; readonly message: string } | undefined;
}

/** Throws a `SettingError` for a price or a budget that is none, and for a budget that nothing could be counted against. */
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
    checkOptionNames(`prices[${JSON.stringify(model)}]`, price, PRICE);
    const amounts = [price.input, price.output, price.cacheRead ?? 0, price.cacheWrite ?? 0];
    if (amounts.every((amount) => Number.isFinite(amount) && amount >= 0)) continue;
    const problem = `prices has ${JSON.stringify(price)} for ${JSON.stringify(model)}; allowed: input and output, dollars for a million tokens`;
    throw new SettingError('invalid_setting', problem, { context: { setting: 'prices', value: model } });
  }
  if (maxBudgetUsd === undefined) return;
  const context = { setting: 'maxBudgetUsd', value: maxBudgetUsd };
  if (!(maxBudgetUsd > 0)) {
    const problem = `maxBudgetUsd is ${maxBudgetUsd}; allowed: dollars, above 0`;
    throw new SettingError('invalid_setting', problem, { context });
  }
  if (costOf === undefined && Object.keys(prices).length === 0) {
    const problem = `maxBudgetUsd is ${maxBudgetUsd}, but nothing says what tokens cost: give prices, such as { 'claude-*': { input: 5, output: 25 } }, or costOf, or list prices in quartermaster.yaml`;
    throw new SettingError('invalid_setting', problem, { context });
  }
}
