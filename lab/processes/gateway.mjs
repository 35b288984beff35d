// A gateway as `quartermaster serve` runs it, with the settings of the first argument, in front of the host at the port of the second.
import { configuredUpstreams, createGateway, serve } from '@quartermaster/gateway';
import { openStore } from '@quartermaster/host/store';

const [settings, upstreamPort] = process.argv.slice(2);
const upstream = { models: ['*'], provider: 'anthropic', apiKey: 'none', toolSearch: 'local' };
const gateway = createGateway({
  upstreams: configuredUpstreams([{ ...upstream, baseUrl: `http://127.0.0.1:${upstreamPort}` }]),
  store: await openStore({ path: ':memory:' }),
  settings: JSON.parse(settings),
});
const { port } = await serve({ gateway, port: 0, hasKeys: false });
process.on('message', () => process.send(process.memoryUsage()));
// A run that was broken off leaves nothing behind.
process.on('disconnect', () => process.exit(0));
process.send({ port });
