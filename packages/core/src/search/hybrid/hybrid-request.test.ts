import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool } from '../../catalog/index.ts';
import { buildBm25Index, QueryRanker } from '../bm25/index.ts';
import { type HybridRequest, readRequest, splitClauses } from './rank-hybrid.ts';
import { toyEmbedder } from './toy-embedder.fixture.ts';

const FILES = createSnapshot(
  ['copy', 'rename', 'archive'].map((verb) => createTool({ name: `${verb}_file`, description: `To ${verb} a file` })),
);
const ranker = new QueryRanker(FILES, buildBm25Index(FILES.tools));

const read = (text: string): HybridRequest => {
  return readRequest(ranker.rank(text, undefined), { ranker, embedder: toyEmbedder });
};

describe('how much of a request the catalog has words for', () => {
  it.each(['archive the files', 'archive 42 files', 'would you archive this file for them', 'archivx the file'])(
    'is all of "%s"',
    (text) => expect(read(text).knownShare).toBe(1),
  );

  it('is less with every word that no tool has', () => {
    const shares = ['archive file', 'archive file quagga', 'archive file quagga ocelot'].map(
      (text) => read(text).knownShare,
    );
    expect(shares[1]).toBeLessThan(shares[0] ?? 0);
    expect(shares[2]).toBeLessThan(shares[1] ?? 0);
    expect(read('quagga ocelot').knownShare).toBe(0);
  });
});

describe('a request that is read', () => {
  it('has its misspelt words put right', () => expect(read('archivx the file').text).toBe('archive the file'));

  it.each([
    ['archive the qaurterly file', 'archive the quarterly file'],
    ['archive the quarterlly file', 'archive the quarterly file'],
    ['archive the quarterky file', 'archive the quarterky file'],
    ['archive the QAURTERLY file', 'archive the quarterly file'],
  ])('reads "%s" as "%s", where only the embedder knows the word', (text, meant) => {
    const embedder = { ...toyEmbedder, knows: (word: string) => word === 'quarterly' };
    expect(readRequest(ranker.rank(text, undefined), { ranker, embedder }).text).toBe(meant);
  });

  it('has clauses with their own words if it asks for several things', () => {
    const { clauses } = read('archive the old file and then rename the other file');
    expect(clauses.map((clause) => clause.text)).toEqual(['archive the old file', 'rename the other file']);
    expect(clauses[0]?.plan.lists).not.toEqual(clauses[1]?.plan.lists);
    expect(read('archive the old file').clauses).toEqual([]);
  });
});

describe('splitClauses', () => {
  it.each<[string, readonly string[]]>([
    ['send an email', []],
    ['Book a flight to Oslo and then reserve a hotel room', ['Book a flight to Oslo', 'reserve a hotel room']],
    ['List my open issues. Close the oldest one!', ['List my open issues', 'Close the oldest one']],
    ['the temperature is 25.6 degrees at v1.2.3', []],
    ['salt and pepper', []],
    ['delete the old file and list all others', ['delete the old file', 'list all others']],
    ['Show name and age of every user. Send them a letter', ['Show name and age of every user', 'Send them a letter']],
    ['copy the file, and then move it and print the result', ['copy the file', 'move it and print the result']],
    ['创建一个新的日历事件。给团队发送消息', ['创建一个新的日历事件', '给团队发送消息']],
    ['', []],
  ])('splits %j', (text, clauses) => {
    expect(splitClauses(text)).toEqual(clauses);
  });

  it('stops at sixteen', () => {
    expect(splitClauses('do this thing. '.repeat(100))).toHaveLength(16);
  });
});
