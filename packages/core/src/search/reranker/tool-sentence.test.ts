import { describe, expect, it } from 'vitest';
import { createTool, type ToolParts } from '../../catalog/index.ts';
import { toolSentence } from './tool-sentence.ts';

describe('toolSentence', () => {
  it.each<[string, ToolParts]>([
    ['send mail: Send a mail', { name: 'send_mail', description: 'Send a mail' }],
    ['git hub create Issue: New issue', { name: 'createIssue', server: 'git-hub', description: 'New issue' }],
    ['Github List Issues: ', { name: 'Github_ListIssues', server: 'Github' }],
    ['Github Github: ', { name: 'Github', server: 'Github' }],
    ['get HTTP Response v2: ', { name: 'getHTTPResponse_v2' }],
    [
      'post: Post Parameters: channel id text user first Name Where to What to say',
      {
        name: 'post',
        description: 'Post',
        schema: {
          type: 'object',
          properties: {
            channel_id: { type: 'string', description: 'Where to' },
            text: { description: 'What to say' },
            user: { type: 'object', properties: { firstName: {} } },
          },
        },
      },
    ],
    ['发送消息: 给团队', { name: '发送消息', description: '给团队' }],
  ])('is %j', (sentence, parts) => {
    expect(toolSentence(createTool(parts))).toBe(sentence);
  });

  it('is bounded', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`parameter${i}`, { description: 'long '.repeat(99) }]),
    );
    const tool = createTool({ name: 'big', description: 'x'.repeat(50_000), schema: { type: 'object', properties } });
    expect(toolSentence(tool).length).toBeLessThan(2_400);
    const capitals = 'A'.repeat(30_000);
    const named = { ...tool, name: capitals, server: capitals };
    expect(toolSentence(named).length).toBeLessThan(2_700);
  });
});
