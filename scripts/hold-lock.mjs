// A lock between processes of one working tree: a file that names its holder. Nothing but Node, because it is taken before
// packages are installed.
import { constants, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

const ASK_AGAIN_MS = 200;

/**
 * Takes the lock, or waits until its holder has ended. The error names a holder that does not end within `waitMs`.
 * @param {object} options
 * @param {string} options.path The file. It is removed when this process ends.
 * @param {number} options.waitMs
 * @param {(holder: string) => void} [options.onWait] Once, when another process holds the lock.
 */
export function holdLock({ path, waitMs, onWait }) {
  const waitUntil = Date.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    if (take(path)) {
      process.once('exit', () => rmSync(path, { force: true }));
      return;
    }
    const holder = readHolder(path);
    if (holder === undefined) continue;
    if (hasEnded(holder)) {
      removeLeft(path, holder);
      continue;
    }
    if (Date.now() >= waitUntil) {
      throw new Error(`${describe(holder)} still holds ${path}. If it is not running, delete that file and try again.`);
    }
    if (isFirst) onWait?.(describe(holder));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ASK_AGAIN_MS);
  }
}

function take(path) {
  try {
    writeFileSync(path, `${process.pid} ${hostname()}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined if the lock was released in between. */
function readHolder(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A process of another machine or container can't be asked, nor one that has not written its name yet: they count as running. */
function hasEnded(holder) {
  const [pid, host] = holder.split(' ');
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Moved away first: of two processes that find the same left lock, only one can move it, and neither deletes the other's new one. */
function removeLeft(path, holder) {
  const left = `${path}.left.${process.pid}`;
  try {
    renameSync(path, left);
    if (readFileSync(left, 'utf8') !== holder) copyFileSync(left, path, constants.COPYFILE_EXCL);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
  rmSync(left, { force: true });
}

function describe(holder) {
  return holder === '' ? 'Another process' : `Process ${holder.replace(' ', ' on ')}`;
}
