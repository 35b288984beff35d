import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import { type LoadConfigOptions, loadConfig } from './load-config.ts';

const root = mkdtempSync(join(tmpdir(), 'quartermaster-config-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

type Files = Readonly<Record<string, string>>;

/** A new folder with these files, gone after the tests of the file that asks. */
export function makeFolder(files: Files): string {
  folders += 1;
  const folder = join(root, String(folders));
  for (const [name, content] of Object.entries({ '.keep': '', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** What is made of a `quartermaster.yaml` with this text, or of none, in a folder of its own. */
export function load(
  yaml: string | undefined,
  options: Partial<LoadConfigOptions> & { readonly files?: Files } = {},
): Config {
  const { files = {}, ...rest } = options;
  const folder = makeFolder({ ...files, ...(yaml === undefined ? {} : { 'quartermaster.yaml': yaml }) });
  return loadConfig({ folder, env: {}, ...rest });
}

/** The problems, with the folder cut off their sources. */
export function problemsOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError)
      return error.message.split('\n').map((line) => line.replace(/^\S*\/quartermaster-config-[^/]*\/\d+\//, ''));
    throw error;
  }
  return [];
}
