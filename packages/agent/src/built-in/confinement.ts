import { constants, existsSync, lstatSync, realpathSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { invalidSetting } from '../invalid-setting.ts';

/** Confines paths to some folders, after resolving links. */
export interface Confinement {
  /** Where relative paths start. */
  readonly folder: string;
  /** The real path, with links resolved. Throws if it is outside every folder; the error shows the path as `shownAs`. */
  real(path: string, shownAs?: string): string;
  /** The real path for display: relative to the folder if it is inside it. */
  shown(realPath: string): string;
}

export function createConfinement(cwd: string, others: readonly string[] = []): Confinement {
  const folder = realFolder('cwd', cwd);
  const roots = [folder, ...others.map((other) => realFolder('additionalDirectories', resolve(cwd, other)))];
  const isInside = (path: string): boolean => roots.some((root) => isBelow(root, path));
  return {
    folder,
    real(path, shownAs = path) {
      const found = realPath(resolve(folder, path));
      if (isInside(found)) return found;
      throw new Error(`${shownAs} is outside of ${roots.join(' and ')}, which is all that can be used`);
    },
    shown: (path) => (path === folder ? '.' : isBelow(folder, path) ? relative(folder, path) : path),
  };
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
const READING = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
/** Without O_TRUNC: nothing is lost before the opened file has been checked. */
const WRITING = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

/** The content of the file at a real path, or its size if that is too much. */
export async function readWhole(
  path: string,
  mostBytes: number,
  confinement: Confinement,
): Promise<Buffer | { readonly tooLarge: number }> {
  const file = await openFile(path, READING, confinement);
  try {
    const { size } = await file.stat();
    return size > mostBytes ? { tooLarge: size } : await file.readFile();
  } finally {
    await file.close();
  }
}

/** Replaces the content of the file at a real path, or creates the file. */
export async function writeWhole(path: string, content: string | Buffer, confinement: Confinement): Promise<void> {
  const file = await openFile(path, WRITING, confinement);
  try {
    await file.truncate();
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

/** Linux tells where an open file is. Elsewhere the path is resolved again, which catches a link that is still there. */
const OPEN_FILES = existsSync('/proc/self/fd') ? '/proc/self/fd' : undefined;

/** A link may have replaced one of the folders since the path was resolved, so the opened file is checked too. */
async function openFile(path: string, flags: number, confinement: Confinement): Promise<FileHandle> {
  const file = await open(path, flags, 0o666);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a file`);
    confinement.real(OPEN_FILES === undefined ? path : join(OPEN_FILES, String(file.fd)), path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function realFolder(setting: string, path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    const problem = `${setting} names ${path}, which can't be read`;
    throw invalidSetting({ setting, value: path, cause }, problem);
  }
}

/** The root of the file system already ends with a separator. */
function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A missing file gets the real path of its folder. A dangling link gets none: writing to it would write elsewhere. */
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
