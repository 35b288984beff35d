import { describe, expect, it } from 'vitest';
import { createTool, type Tool } from '../../catalog/index.ts';
import { sampleSnapshot, sampleTool } from '../sample-tools.fixture.ts';
import { sameTools, tellApart } from './match-levels.ts';

interface Said {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly parameters?: readonly string[];
}

function tool({ server, name, description = '', parameters = [] }: Said): Tool {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  return createTool({ server, name, description, schema: { type: 'object', properties } });
}

const differences = (...tools: readonly Tool[]): unknown =>
  tellApart(tools.map((one) => ({ name: `${one.server}__${one.name}`, tool: one })));

describe('tellApart', () => {
  it('says what siblings of one server do that the others do not', () => {
    const get = tool({ server: 'github', name: 'get_issue', parameters: ['owner', 'number'] });
    const list = tool({ server: 'github', name: 'list_issues', parameters: ['owner', 'since', 'state'] });
    expect(differences(get, list)).toEqual({
      github__get_issue: 'get; takes number',
      github__list_issues: 'list; takes since, state',
    });
  });

  it('names the servers of tools that have one name, and what each alone says', () => {
    const code = tool({ server: 'github', name: 'createIssue', description: 'Open an issue in a repository.' });
    const tracker = tool({ server: 'jira', name: 'create_issue', description: 'Open an issue in a project.' });
    expect(differences(code, tracker)).toEqual({
      github__createIssue: 'github; repository',
      jira__create_issue: 'jira; project',
    });
  });

  it('says nothing of tools that look nothing alike, nor of a single one', () => {
    const issue = tool({ server: 'github', name: 'create_issue' });
    const rain = tool({ server: 'weather', name: 'get_forecast' });
    expect(differences(issue, rain)).toBeUndefined();
    expect(differences(issue)).toBeUndefined();
  });

  it('says nothing if nothing differs', () => {
    const one = tool({ server: '', name: 'search' });
    expect(
      tellApart([
        { name: 'search', tool: one },
        { name: 'search_2', tool: one },
      ]),
    ).toBeUndefined();
  });

  it('stays short whatever a definition says', () => {
    const long = 'x'.repeat(5_000);
    const left = tool({ server: long, name: 'get_issue', parameters: [`${long}a`, `${long}b`, 'c', 'd', 'e'] });
    const right = tool({ server: 'b', name: 'get_issue' });
    const told = tellApart([
      { name: 'l', tool: left },
      { name: 'r', tool: right },
    ]);
    expect(JSON.stringify(told).length).toBeLessThan(300);
  });
});

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
