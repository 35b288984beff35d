#!/usr/bin/env node
import { EXIT, run } from '../dist/index.js';

// A reader that has seen enough (`| head`) closes the pipe; that is no failure of ours.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`The output can't be written: ${error.message}\n`);
  process.exit(EXIT.outputFailed);
});

process.exitCode = await run(process.argv.slice(2), process);
