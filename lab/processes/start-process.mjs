import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Starts a program of the lab or of the bench in a process of its own, with Node's default flags. It says where it listens, and
 * answers with its figures when it is asked: memory, processor time, open handles, and what else it measures.
 */
export async function startProcess(url, ...args) {
  const child = fork(fileURLToPath(url), args.map(String), { execArgv: [] });
  const { port } = await told(child);
  return {
    port,
    pid: child.pid,
    async figures() {
      const answer = told(child);
      child.send('figures');
      return answer;
    },
    stop: () => child.disconnect(),
  };
}

/** The host of a model that the gateways under test ask. */
export function startUpstream() {
  return startProcess(new URL('../../bench/gateway/upstream.mjs', import.meta.url));
}

/** A gateway as `quartermaster serve` runs it, on a store in memory or in a file. */
export function startBareGateway(upstreamPort, { settings = {}, storePath = ':memory:' } = {}) {
  return startProcess(new URL('gateway.mjs', import.meta.url), JSON.stringify(settings), upstreamPort, storePath);
}

/** Another client, which does nothing but wait for answers. */
export function startPing(port) {
  return startProcess(new URL('ping.mjs', import.meta.url), port);
}

function told(child) {
  return new Promise((resolve, reject) => {
    const fail = (code) => reject(new Error(`${child.spawnargs[1]} ended with ${code}`));
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('exit', fail);
      resolve(message);
    });
  });
}
