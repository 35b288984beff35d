import type { Snapshot } from '../catalog/index.ts';
import type { PlanEngine } from '../disclosure/index.ts';
import { SettingError } from '../errors.ts';
import { createBm25Searcher, createRegexSearcher, type Searcher } from '../search/index.ts';
import type { SearcherSource, ToolboxOptions } from './toolbox-options.ts';

/** What searches a snapshot for plans of an engine. */
export type SearcherFor = (engine: PlanEngine, snapshot: Snapshot) => Searcher;

/** The searchers of a toolbox, each made when it is first needed: a plan alone costs no index. */
export function searcherFor(options: Pick<ToolboxOptions, 'searcher' | 'regexSearcher'>): SearcherFor {
  const sources: { readonly [Engine in PlanEngine]: (snapshot: Snapshot) => Searcher } = {
    text: kept(options.searcher ?? createBm25Searcher, 'text'),
    regex: kept(options.regexSearcher ?? createRegexSearcher, 'regex'),
  };
  return (engine, snapshot) => sources[engine](snapshot);
}

/** One index per snapshot, however many toolboxes use it: it holds no executor and no secret. */
const searchers = new WeakMap<(snapshot: Snapshot) => Searcher, WeakMap<Snapshot, Searcher>>();

function kept(source: SearcherSource, engine: PlanEngine): (snapshot: Snapshot) => Searcher {
  if (typeof source !== 'function') {
    const searcher = checked(source, engine);
    return () => searcher;
  }
  const bySnapshot = searchers.get(source) ?? new WeakMap<Snapshot, Searcher>();
  searchers.set(source, bySnapshot);
  return (snapshot) => {
    const searcher = bySnapshot.get(snapshot) ?? checked(source(snapshot), engine);
    bySnapshot.set(snapshot, searcher);
    return searcher;
  };
}

/** A model that is told to write words must not have them read as a pattern, nor the other way round. */
function checked(searcher: Searcher, engine: PlanEngine): Searcher {
  const takes: PlanEngine = searcher.engine === 'regex' ? 'regex' : 'text';
  if (takes === engine) return searcher;
  const [setting, advice] = engine === 'text' ? ['searcher', PATTERNS] : ['regexSearcher', WORDS];
  throw new SettingError('invalid_setting', `The ${setting} is of the engine "${searcher.engine}", which ${advice}`, {
    context: { setting, engine: searcher.engine },
  });
}

const PATTERNS = 'takes patterns: pass it as regexSearcher';
const WORDS = 'takes words: pass it as searcher';
