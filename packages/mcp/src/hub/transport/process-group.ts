import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessGroupOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** How often to check whether a group has ended. There is no event for the exit of a grandchild. */
const LOOK_EVERY_MS = 20;

/**
 * Starts a process as the leader of its own group, so that its children can be ended with it: `npx` and `uvx` run
 * the real server as a child, and a signal to them alone leaves it running.
 */
export function spawnGroup(options: ProcessGroupOptions): ChildProcessWithoutNullStreams {
  const child = spawn(options.command, options.args, {
    env: { ...options.env },
    cwd: options.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: HAS_GROUPS,
    windowsHide: true,
  });
  if (child.pid !== undefined) watch(child.pid, child);
  return child;
}

/**
 * Ends a group: closes its input and sends SIGTERM, then SIGKILL to what is left after the grace period. Never fails. Uses
 * real time, because processes do.
 */
export async function endGroup(child: ChildProcessWithoutNullStreams, graceMs: number): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  child.stdin.destroy();
  signalGroup(pid, 'SIGTERM');
  for (let waitedMs = 0; isAlive(pid); waitedMs += LOOK_EVERY_MS) {
    if (waitedMs >= graceMs) {
      signalGroup(pid, 'SIGKILL');
      break;
    }
    await sleep(LOOK_EVERY_MS);
  }
  live.delete(pid);
}

const HAS_GROUPS = process.platform !== 'win32';

/** The groups to end if this process exits without closing them. */
const live = new Set<number>();

let isWatching = false;

function watch(pid: number, child: ChildProcessWithoutNullStreams): void {
  if (!isWatching) process.once('exit', endAll);
  isWatching = true;
  live.add(pid);
  child.once('exit', () => {
    if (!isAlive(pid)) live.delete(pid);
  });
}

function endAll(): void {
  for (const pid of live) signalGroup(pid, 'SIGKILL');
}

/** Signal 0 checks whether any process is left. */
function isAlive(pid: number): boolean {
  return signalGroup(pid, 0);
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(HAS_GROUPS ? -pid : pid, signal);
  } catch {
    // Already gone.
    return false;
  }
}
