import type { UpstreamSettings } from '@quartermaster/host/config';
import { describe, expect, it } from 'vitest';
import { configuredUpstreams, type GatewayUpstream } from './configured-upstreams.ts';

async function resolved(
  provider: UpstreamSettings['provider'],
  environment: Parameters<typeof configuredUpstreams>[1] = {},
) {
  const settings: UpstreamSettings = { models: ['*'], provider, apiKey: 'key', toolSearch: 'local' };
  return (await configuredUpstreams([settings], environment).resolve('m')) as GatewayUpstream;
}

describe('the upstream of a model', () => {
  it('is built once for each dialect', async () => {
    const upstream = await resolved('anthropic');
    const built = await upstream.for('anthropic');
    expect(await upstream.for('anthropic')).toBe(built);
  });

  it('is built again after a failure: its package may have been installed meanwhile', async () => {
    let attempts = 0;
    const upstream = await resolved('mistral', {
      async load() {
        attempts += 1;
        throw Object.assign(new Error("Cannot find package '@ai-sdk/mistral'"), { code: 'ERR_MODULE_NOT_FOUND' });
      },
    });
    await expect(upstream.for('anthropic')).rejects.toThrow('npm install @ai-sdk/mistral');
    await expect(upstream.for('anthropic')).rejects.toThrow('npm install @ai-sdk/mistral');
    expect(attempts).toBe(2);
  });

  it('can carry what its dialect can, asked in any order', async () => {
    const upstream = await resolved('anthropic');
    const asked = (['openai-chat', 'anthropic', 'openai-chat', 'anthropic'] as const).map(
      (dialect) => upstream.capabilities(dialect).references,
    );
    expect(asked).toEqual([false, true, false, true]);
  });
});
