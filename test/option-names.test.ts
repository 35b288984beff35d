import { createClient } from '@quartermaster/client';
import { createSnapshot } from '@quartermaster/core';
import { createGateway, serve } from '@quartermaster/gateway';
import { createPostgresSearcher, createUseLearning } from '@quartermaster/host/search';
import { openStore } from '@quartermaster/host/store';
import { createModelUpstream } from '@quartermaster/host/upstream';
import { createHub, createOAuthClient, createProxy, serveStdio } from '@quartermaster/mcp';
import { loadReranker } from '@quartermaster/reranker';
import { createEmbeddedSearcher } from '@quartermaster/semantic';
import { createAnthropicDialect, createAnthropicWire } from '@quartermaster/wires/anthropic';
import { expect, it } from 'vitest';

// The functions of core are in check-option-names.test.ts, those of the agent in its own tests.

const NO_TOOLS = createSnapshot([]);
const NOTHING = {} as never;

it.each<[string, (options: never) => unknown, string]>([
  ['createEmbeddedSearcher', (options) => createEmbeddedSearcher(NO_TOOLS, options), 'bm25, cache, intentWeight'],
  ['loadReranker', loadReranker, 'importModule, modelFile'],
  ['createAnthropicDialect', createAnthropicDialect, 'errorCodes, maxRequestTools'],
  ['createAnthropicWire', createAnthropicWire, 'deferredAlone, errorCodes'],
  ['openStore', openStore, 'auditDays, createId, encryptionKeys, now, path, timeouts, url'],
  ['createModelUpstream', createModelUpstream, 'createId, dialect, model'],
  ['createPostgresSearcher', (options) => createPostgresSearcher(NOTHING, 'x', options), 'leastConfidence, now'],
  ['createUseLearning', createUseLearning, 'clock, embed, learn'],
  ['createHub', createHub, 'backoff, catalog, clientInfo'],
  ['createOAuthClient', createOAuthClient, 'clientMetadata, clientMetadataUrl'],
  ['createProxy', createProxy, 'alwaysLoad, authenticate, budget'],
  ['serveStdio', (options) => serveStdio(NOTHING, options), 'access, input, output'],
  ['createGateway', createGateway, 'clock, connector, console'],
  ['serve', serve, 'gateway, graceMs, hasKeys, host, port'],
  ['createClient', createClient, 'apiKey, baseUrl, fetch'],
])('%s refuses an option that it does not have, with those that it has', async (owner, create, allowed) => {
  const made = async (): Promise<unknown> => create({ misspelt: 1 } as never);
  await expect(made()).rejects.toThrow(`${owner}: unknown option "misspelt"; allowed: ${allowed}`);
});

it.each<[string, () => unknown, string]>([
  [
    'catalog',
    () => createHub({ servers: {}, catalog: { tools: 1 } as never }),
    'maxNameLength, maxTools, nameTemplate',
  ],
  ['limits', () => createHub({ servers: {}, limits: { tools: 1 } as never }), 'listBytes, listPages, toolsPerServer'],
  ['backoff', () => createHub({ servers: {}, backoff: { ms: 1 } as never }), 'initialMs, maxMs, stableMs'],
  ['waits', () => createProxy({ hub: createHub({ servers: {} }), waits: { ms: 1 } as never }), 'callMs, greetingMs'],
  [
    'settings',
    () => createGateway({ upstreams: NOTHING, settings: { rounds: 1 } as never }),
    'autoPins, batchConcurrency',
  ],
  ['bm25', () => createEmbeddedSearcher(NO_TOOLS, { bm25: { k2: 1 } as never }), 'bigramWeight, compoundWeight'],
])('%s refuses a name that it does not have', (owner, create, allowed) => {
  expect(create).toThrow(new RegExp(`^${owner}: unknown option "\\w+"; allowed: ${allowed}`));
});
