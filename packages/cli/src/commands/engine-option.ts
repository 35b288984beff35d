import { Option } from 'commander';
import { DEFAULT_ENGINE, ENGINES } from '../create-searcher.ts';

export function engineOption(): Option {
  return new Option('-e, --engine <name>', 'the search engine').choices(ENGINES).default(DEFAULT_ENGINE);
}
