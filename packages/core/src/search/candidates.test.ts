import { describe, expect, it } from 'vitest';
import { createTool } from '../catalog/index.ts';
import { operatorStems, readCandidateQuery, readNameStems, readOperators, readToolTerms } from './candidates.ts';

const always = () => true;
const never = () => false;

describe('what candidates are found by', () => {
  it('is the same for a tool and for a query in its words', () => {
    const tool = createTool({
      server: 'Git Hub',
      name: 'listPullRequests',
      description: 'Lists the requests of a repository',
      schema: { type: 'object', properties: { repo_name: { type: 'string', description: 'Which one' } } },
    });
    const terms = readToolTerms(tool);
    for (const { stem } of readCandidateQuery('listing pull requests of repositories', never).words) {
      expect(terms.stems).toContain(stem);
    }
    expect(terms.nameStems).toEqual(new Set(readNameStems(tool)));
    expect(terms.nameKeys).toEqual(['listpullrequests', 'githublistpullrequests']);
    expect(terms.serverKey).toBe('github');
    expect(terms.words).toContain('listpullrequests');
    expect(terms.fieldLengths).toEqual([3, 2, 6, 2, 2, 0]);
  });

  it('is the sign itself for a name without letters', () => {
    expect(readToolTerms(createTool({ name: '+' })).nameKeys).toEqual(['+']);
    expect(readCandidateQuery('+', never).nameKeys).toContain('+');
  });

  it.each([
    ['get accounts', 'getaccounts'],
    ['please use get_accounts for this', 'getaccounts'],
    ['call `list users` now', 'listusers'],
    ['github list_issues', 'githublistissues'],
  ])('has the names in %j', (query, key) => {
    expect(readCandidateQuery(query, never).nameKeys).toContain(key);
  });

  it('are names alone for a selection', () => {
    const read = readCandidateQuery('select:get_accounts, mcp__mail__send', always);
    expect(read).toMatchObject({ isSelection: true });
    expect(read.nameKeys).toEqual(['getaccounts', 'mcpmailsend', 'mailsend']);
  });

  it('reads operators as such only if they resolve', () => {
    const query = 'server:github +issue open ones';
    expect(readOperators(query).map(({ kind, value }) => [kind, value])).toEqual([
      ['server', 'github'],
      ['required', 'issue'],
    ]);
    const applied = readCandidateQuery(query, always);
    expect(applied).toMatchObject({
      serverKeys: ['github'],
      requiredStems: readOperators(query).flatMap(operatorStems),
    });
    expect(applied.words.map(({ word }) => word)).not.toContain('github');
    const plain = readCandidateQuery(query, never);
    expect(plain).toMatchObject({ serverKeys: [], requiredStems: [] });
    expect(plain.words.map(({ word }) => word)).toContain('github');
  });

  it('looks for a server by its name if nothing else is asked for', () => {
    expect(readCandidateQuery('server:github', always).text).toBe('github');
  });

  it('weighs words that frame a request less, and function words least', () => {
    const weights = new Map(
      readCandidateQuery('find the 3 invoices', never).words.map(({ word, weight }) => [word, weight]),
    );
    expect(weights.get('invoices')).toBe(1);
    expect(weights.get('3')).toBeLessThan(1);
    expect(weights.get('the')).toBeLessThan(0.1);
  });
});
