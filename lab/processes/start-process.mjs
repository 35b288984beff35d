import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts a file of this folder in a process of its own, with Node's default flags, and asks it for figures. */
export async function startProcess(file, ...args) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, args.map(String), { execArgv: [] });
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
