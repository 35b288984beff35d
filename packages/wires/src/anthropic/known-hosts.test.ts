import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { scriptMessage, text } from './message-script.fixture.ts';
import { deferred, regexSearchTool } from './open.ts';
import { anthropicWhole } from './whole.ts';
import { withToolSearch } from './wrap-anthropic.ts';

const mail = { name: 'send_mail', description: 'Sends a mail.', input_schema: { type: 'object' as const } };
const COMMON = { max_tokens: 1000, messages: [{ role: 'user' as const, content: 'Hello' }] };

describe('a host that searches by itself', () => {
  const ANSWER = anthropicWhole.fromParts(scriptMessage([text('Hi.')], 'end_turn'));
  const reached = async (baseURL: string): Promise<unknown> => {
    let sent: { tools?: unknown } = {};
    const fetch = async (_: unknown, init?: { body?: unknown }): Promise<Response> => {
      sent = JSON.parse(String(init?.body));
      return Response.json(ANSWER);
    };
    const client = withToolSearch(new Anthropic({ apiKey: 'none', baseURL, fetch, maxRetries: 0 }));
    await client.messages.create({ ...COMMON, model: 'claude-opus-4-7', tools: [regexSearchTool(), deferred(mail)] });
    return sent.tools;
  };

  it.each([
    ['https://api.anthropic.com', true],
    ['https://aws-external-anthropic.us-east-1.api.aws', true],
    ['https://bedrock-runtime.us-east-1.amazonaws.com', true],
    ['https://bedrock-runtime.us-east-1.api.aws', true],
    ['https://us-east5-aiplatform.googleapis.com/v1', true],
    ['https://aiplatform.googleapis.com/v1', true],
    ['https://aiplatform.us.rep.googleapis.com/v1', true],
    ['https://models.example.com', false],
    ['https://api.anthropic.com.example.com', false],
    ['https://myaiplatform.googleapis.com', false],
  ])('%s gets the marks: %s', async (baseURL, isHosted) => {
    const tools = await reached(baseURL);
    expect(JSON.stringify(tools).includes('"defer_loading":true')).toBe(isHosted);
  });
});
