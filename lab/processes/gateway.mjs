// A gateway as `quartermaster serve` runs it, with the settings of the first argument, in front of the host at the port of
// the second, on the store at the path of the third.
import { configuredUpstreams, createGateway, limitHeapGrowth, serve } from '@quartermaster/gateway';
import { openStore } from '@quartermaster/host/store';
import { answerFigures } from './answer-figures.mjs';

limitHeapGrowth();
const [settings, upstreamPort, path] = process.argv.slice(2);
/** @type {Omit<import('@quartermaster/host/config').UpstreamSettings, 'baseUrl'>} */
const upstream = { models: ['*'], provider: 'anthropic', apiKey: 'none', toolSearch: 'local' };
const gateway = createGateway({
  upstreams: configuredUpstreams([{ ...upstream, baseUrl: `http://127.0.0.1:${upstreamPort}` }]),
  store: await openStore({ path }),
  settings: JSON.parse(settings),
  logger: {
    log(entry) {
      if (entry.level !== 'info') process.stderr.write(`${JSON.stringify(entry)}\n`);
    },
  },
});
const { port } = await serve({ gateway, port: 0, hasKeys: false });
answerFigures();
process.send({ port });
