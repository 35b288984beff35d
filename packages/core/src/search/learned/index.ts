export {
  type Companion,
  LEARNED_USES_DEFAULTS,
  type LearnedUse,
  LearnedUses,
  type LearnedUsesOptions,
  toUseVector,
  type UseBonus,
} from './learned-uses.ts';
export { CALLED_ALONG, CALLED_BEFORE, ORDERED_BY_USE, type OrderByUseOptions, orderByUse } from './order-by-use.ts';
