import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts a server of this folder in a process of its own. */
export async function startServer(file, ...args) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  // None of this process's flags: every server runs as Node runs it by default.
  const child = fork(path, args.map(String), { execArgv: [] });
  const { port } = await told(child);
  return {
    port,
    async cpuMs() {
      const answer = told(child);
      child.send('meter');
      return (await answer).cpuMs;
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
