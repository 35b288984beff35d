import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve, sep } from 'node:path';
import type { Environment, ResolveReference } from './expand-variables.ts';

export interface ReferenceOptions {
  /** The file that contains the references. */
  readonly file: string;
  readonly env: Environment;
  /** The value of an input. Undefined while it has none. */
  readonly answer: (id: string) => string | undefined;
}

const MOST_BYTES = 64 * 1024;

/** The references of VS Code, Cursor and Windsurf that are not environment variables. */
export function referencesOf({ file, env, answer }: ReferenceOptions): ResolveReference {
  return (reference) => {
    const [kind = '', ...rest] = reference.split(':');
    const detail = rest.join(':');
    switch (kind) {
      case 'input':
        return valueOr(
          answer(detail),
          `needs the input ${JSON.stringify(detail)}; answer it once with: quartermaster mcp input`,
        );
      case 'workspaceFolder':
      case 'workspaceRoot':
        return valueOr(workspaceOf(file, env), NEEDS_WORKSPACE);
      case 'workspaceFolderBasename': {
        const folder = workspaceOf(file, env);
        return valueOr(folder === undefined ? undefined : basename(folder), NEEDS_WORKSPACE);
      }
      case 'userHome':
        return valueOr(homeOf(env), 'needs the home folder, but HOME is not set');
      case '/':
      case 'pathSeparator':
        return { value: sep };
      case 'file':
        return detail === '' ? undefined : readSmallFile(detail, { file, env });
      default:
        return undefined;
    }
  };
}

/** A path as clients write it: relative to the file's folder, with `~` for the home folder. */
export function pathFrom(path: string, { file, env }: Pick<ReferenceOptions, 'file' | 'env'>): string {
  const home = homeOf(env);
  const whole = home !== undefined && /^~[\\/]/.test(path) ? home + path.slice(1) : path;
  return isAbsolute(whole) ? whole : resolve(dirname(file), whole);
}

/** A file of at most 64 KiB. */
export function readSmallText(path: string): string {
  if (statSync(path).size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
  return readFileSync(path, 'utf8');
}

function readSmallFile(path: string, from: Pick<ReferenceOptions, 'file' | 'env'>): ReturnType<ResolveReference> {
  try {
    return { value: readSmallText(pathFrom(path, from)).trim() };
  } catch (error) {
    return {
      problem: `needs the file ${path}, which can't be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** A project's own file shows where the project is. */
function workspaceOf(file: string, env: Environment): string | undefined {
  if (env.QUARTERMASTER_WORKSPACE) return env.QUARTERMASTER_WORKSPACE;
  const folder = dirname(file);
  const home = homeOf(env);
  // The same folders in a home folder are the user's and belong to no project.
  return ['.vscode', '.cursor'].includes(basename(folder)) && dirname(folder) !== home ? dirname(folder) : undefined;
}

function homeOf(env: Environment): string | undefined {
  return env.HOME || env.USERPROFILE || undefined;
}

function valueOr(value: string | undefined, problem: string): ReturnType<ResolveReference> {
  return value === undefined ? { problem } : { value };
}

const NEEDS_WORKSPACE = `needs the folder of your project, which only your client knows; set QUARTERMASTER_WORKSPACE to it`;
