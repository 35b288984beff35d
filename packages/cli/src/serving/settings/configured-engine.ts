import { SettingError } from '@quartermaster/core/errors';
import type { SearchSettings } from '@quartermaster/host/config';
import { type ChosenEngine, chooseEngine, type FoundReranker } from '@quartermaster/host/search';
import { InputError } from '../../input-error.ts';

/** The engine in the settings. If it was requested by name and can't run, that is an error of the command line. */
export async function configuredEngine(
  search: Pick<SearchSettings, 'engine'>,
  find?: () => Promise<FoundReranker>,
): Promise<ChosenEngine> {
  try {
    return await chooseEngine(search, find);
  } catch (error) {
    if (error instanceof SettingError) throw new InputError(error.message, { cause: error });
    throw error;
  }
}
