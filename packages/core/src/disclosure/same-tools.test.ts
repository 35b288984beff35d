import { expect, it } from 'vitest';
import { sameTools } from './same-tools.ts';
import { sampleSnapshot, sampleTool } from './sample-tools.fixture.ts';

it('finds a tool again at other servers by name and description, and by nothing less', () => {
  const description = 'Sends a mail.';
  const tools = [
    sampleTool({ name: 'send', server: 'work', description }),
    sampleTool({ name: 'send', server: 'home', description }),
    sampleTool({ name: 'send', server: 'fax', description: 'Sends a fax.' }),
    sampleTool({ name: 'post', server: 'home', description }),
    sampleTool({ name: 'constructor', server: 'odd', description }),
  ];
  const snapshot = sampleSnapshot(tools);
  const same = snapshot.tools.map((tool) => [tool.id, sameTools(snapshot, tool).map(({ id }) => id)]);
  expect(Object.fromEntries(same)).toEqual({
    'work/send': ['home/send'],
    'home/send': ['work/send'],
    'fax/send': [],
    'home/post': [],
    'odd/constructor': [],
  });
});
