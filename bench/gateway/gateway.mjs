// The gateway as `quartermaster serve` runs it: every default, a store in memory, one upstream of the client's own dialect.
// A second argument has settings as JSON.
import { configuredUpstreams, createGateway, serve } from '@quartermaster/gateway';
import { openStore } from '@quartermaster/host/store';
import { answerFigures } from '../../lab/processes/answer-figures.mjs';

const baseUrl = `http://127.0.0.1:${process.argv[2]}`;
const gateway = createGateway({
  upstreams: configuredUpstreams([
    { models: ['*'], provider: 'anthropic', baseUrl, apiKey: 'none', toolSearch: 'local' },
  ]),
  store: await openStore({ path: ':memory:' }),
  settings: JSON.parse(process.argv[3] ?? '{}'),
  logger: {
    log(entry) {
      if (entry.level !== 'info') process.stderr.write(`${JSON.stringify(entry)}\n`);
    },
  },
});
const { port } = await serve({ gateway, port: 0, hasKeys: false });
answerFigures();
process.send({ port });
