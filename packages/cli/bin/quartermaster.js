#!/usr/bin/env node
import { constants } from 'node:os';
import { EXIT, run } from '../dist/index.js';

// A reader that has seen enough (`| head`) closes the pipe; that is no failure of ours.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`The output can't be written: ${error.message}\n`);
  process.exit(EXIT.outputFailed);
});

// Commands that have to finish something listen for signals themselves. The others exit instead of being killed, which also stops the
// MCP servers that they have started.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  });
}

process.exitCode = await run(process.argv.slice(2), process);
