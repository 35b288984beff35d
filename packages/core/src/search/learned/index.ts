export {
  LEARNED_USES_DEFAULTS,
  type LearnedUse,
  LearnedUses,
  type LearnedUsesOptions,
  toUseVector,
  type UseBonus,
} from './learned-uses.ts';
export { ORDERED_BY_USE, orderByUse } from './order-by-use.ts';
