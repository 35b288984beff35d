// serve-workerd.mjs WORKERD FOLDER: serves the folder's config.capnp, asks it once, and prints the answer.
import { spawn } from 'node:child_process';

const [workerd, folder] = process.argv.slice(2);
const child = spawn(workerd, ['serve', 'config.capnp', '--control-fd=3'], {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
});
try {
  const port = await listening(child);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  console.log(text);
} finally {
  child.kill();
}

/** workerd tells on its control channel which port it was given. */
function listening({ stdio }) {
  return new Promise((resolve, reject) => {
    let told = '';
    stdio[3].on('data', (data) => {
      told += data;
      const port = /"port":(\d+)/.exec(told)?.[1];
      if (port !== undefined) resolve(port);
    });
    child.once('exit', (code) => reject(new Error(`workerd ended with ${code}`)));
  });
}
