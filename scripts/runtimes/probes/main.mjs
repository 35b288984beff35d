import { probe } from './probe.mjs';

probe().then(
  (answer) => console.log(JSON.stringify(answer)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
