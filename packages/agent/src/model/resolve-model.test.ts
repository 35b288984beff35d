import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingError } from '@quartermaster/core/errors';
import { loadConfig } from '@quartermaster/host/config';
import { scripted } from '@quartermaster/host/upstream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelQuestion, type ResolvedModel, rehearsal, resolveModel } from './resolve-model.ts';

let cwd = '';

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'model-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const resolve = (question: Partial<ModelQuestion>): Promise<ResolvedModel> =>
  resolveModel({ env: {}, configured: loadConfig({ env: {}, folder: cwd }).upstreams, ...question });
const configure = (text: string): Promise<void> => writeFile(join(cwd, 'quartermaster.yaml'), text);

describe('the model of a query', () => {
  it('says what to set if there is none', async () => {
    const nothing = resolve({});
    await expect(nothing).rejects.toBeInstanceOf(SettingError);
    await expect(nothing).rejects.toThrow(
      /No model is configured.*ANTHROPIC_API_KEY.*options\.upstream.*quartermaster\.yaml.*rehearsal\(\)/,
    );
    await expect(resolve({ model: 'gpt-5.4' })).rejects.toThrow('No upstream serves the model "gpt-5.4"');
  });

  it.each([
    [{ ANTHROPIC_API_KEY: 'k' }, undefined, 'claude-opus-4-7', 'anthropic-messages', true],
    [{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_MODEL: 'claude-x' }, undefined, 'claude-x', 'anthropic-messages', true],
    [{ OPENAI_API_KEY: 'k' }, undefined, 'gpt-5.4', 'ai-sdk', false],
    [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, 'gpt-5.4', 'gpt-5.4', 'ai-sdk', false],
    [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, 'claude-y', 'claude-y', 'anthropic-messages', true],
    [{ OPENAI_API_KEY: 'k' }, 'my-own', 'my-own', 'ai-sdk', false],
  ])('comes from keys in the environment %j for %s', async (env, model, expected, transport, references) => {
    const resolved = await resolve({ env, model });
    expect(resolved.model).toBe(expected);
    expect(resolved.upstream.transport).toBe(transport);
    expect(resolved.capabilities.references).toBe(references);
  });

  it('comes from quartermaster.yaml, which is stronger than keys, by the patterns there', async () => {
    await configure(
      'upstreams:\n  - models: [house-model, "claude-*"]\n    provider: rehearsal\n    contextTokens: 5000\n',
    );
    const env = { ANTHROPIC_API_KEY: 'k' };
    expect(await resolve({ env })).toMatchObject({ model: 'house-model', limits: { contextTokens: 5_000 } });
    expect(await resolve({ env, model: 'claude-z' })).toMatchObject({
      limits: { contextTokens: 5_000, source: 'override' },
    });
    expect(await resolve({ env, model: 'other' })).toMatchObject({ upstream: { transport: 'anthropic-messages' } });
    await expect(resolve({ model: 'other' })).rejects.toThrow('No upstream serves the model "other"');
  });

  it('has to be named where a provider has no usual one', async () => {
    await expect(resolve({ upstream: { provider: 'groq', apiKey: 'k' } })).rejects.toThrow(
      'No model is named. Set options.model.',
    );
  });

  it('is asked at the upstream that was given, as settings or whole, whatever else there is', async () => {
    await configure('upstreams:\n  - models: [rehearsal, m]\n    provider: anthropic\n');
    expect(await resolve({ upstream: { provider: 'rehearsal' } })).toMatchObject({ model: 'rehearsal' });
    expect(await resolve({ upstream: rehearsal() })).toMatchObject({ model: 'rehearsal' });
    const upstream = scripted({ dialect: 'anthropic', turns: [] });
    const resolved = await resolve({ upstream, model: 'm', contextTokens: 777 });
    expect(resolved).toMatchObject({ model: 'm', limits: { contextTokens: 777, source: 'override' } });
    expect(resolved.upstream).toBe(upstream);
  });
});
