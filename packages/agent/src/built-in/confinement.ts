import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { SettingError } from '@quartermaster/core/errors';

/** Keeps paths inside some folders, wherever links lead. */
export interface Confinement {
  /** Where relative paths begin. */
  readonly folder: string;
  /** The real path, links resolved. Throws where it is outside of every folder. */
  real(path: string): string;
  /** The real path as people write it: relative to the folder where it is in there. */
  shown(realPath: string): string;
}

export function createConfinement(cwd: string, others: readonly string[] = []): Confinement {
  const folder = realFolder('cwd', cwd);
  const roots = [folder, ...others.map((other) => realFolder('additionalDirectories', resolve(cwd, other)))];
  const isInside = (path: string): boolean => roots.some((root) => isBelow(root, path));
  return {
    folder,
    real(path) {
      const found = realPath(resolve(folder, path));
      if (isInside(found)) return found;
      throw new Error(`${path} is outside of ${roots.join(' and ')}, which is all that can be used`);
    },
    shown: (path) => (path === folder ? '.' : isBelow(folder, path) ? relative(folder, path) : path),
  };
}

function realFolder(setting: string, path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    const problem = `${setting} names ${path}, which can't be read`;
    throw new SettingError('invalid_setting', problem, { cause, context: { setting, value: path } });
  }
}

/** The root of the file system ends with a separator already. */
function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** What is not there yet has the real path of its folder. A link that leads nowhere has none: writing to it would write elsewhere. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || isThere(path) || dirname(path) === path) throw error;
    return join(realPath(dirname(path)), basename(path));
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
