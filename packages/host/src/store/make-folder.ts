import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Makes a folder and its missing parents. Not with `recursive`: Node loops forever on a file system that
 * answers "no such file or directory" for a folder whose parent exists, as `/proc` does (seen with Node 20.20).
 * A folder `.quartermaster` gets a `.gitignore`.
 * @param mode the permissions of the last one
 */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, mode === undefined ? {} : { mode });
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error;
    return;
  }
  if (basename(path) === PROJECT_FOLDER) ignoreInGit(path);
}

/** It may be in a project, and its content (keys, conversations) does not belong in a repository. */
function ignoreInGit(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch {
    // The folder works without it.
  }
}

const PROJECT_FOLDER = '.quartermaster';
