import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTool, type Tool } from '../../../catalog/index.ts';
import { runToEnd } from '../../../slices.ts';
import { markToolsInSteps } from '../../kept/keep-index.ts';
import { Bm25Index } from './bm25-index.ts';
import { buildBm25IndexInSteps } from './build-bm25-index.ts';

/** Forms of each other. `posting` brings two stems together: it is that of `postinged`, and its own is `post`. */
const WORDS = [
  ...['post', 'posts', 'posting', 'postinged', 'postinging', 'feed', 'feeds', 'feeding', 'list', 'listed', 'lists'],
  ...['invoice', 'invoices', 'user', 'mail', 'report', 'send', 'größe', 'the', 'of', 'billing', 'bills'],
];
const COMMON = 'get';
const LENGTH = 10;

/** Descriptions of one length, so that the averages of a catalog don't change with its tools. */
const anyDescription = fc
  .array(fc.constantFrom(...WORDS), { minLength: LENGTH, maxLength: LENGTH })
  .map((words) => `${words.join(' ')} ${COMMON}`);
const anyTools = fc.array(anyDescription, { minLength: 12, maxLength: 60 }).map(toolsOf);
const anyEdit = fc.record({ at: fc.nat(), removed: fc.nat(2), added: fc.array(anyDescription, { maxLength: 3 }) });

function toolsOf(descriptions: readonly string[], from = 0): readonly Tool[] {
  return descriptions.map((description, at) => createTool({ name: `tool_x${from + at}`, description }));
}

function apply(
  tools: readonly Tool[],
  edits: readonly (typeof anyEdit extends fc.Arbitrary<infer Edit> ? Edit : never)[],
) {
  const changed = [...tools];
  for (const [number, { at, removed, added }] of edits.entries()) {
    changed.splice(at % (changed.length + 1), removed, ...toolsOf(added, 1_000 * (number + 1)));
  }
  return changed;
}

const build = (tools: readonly Tool[], others: readonly Bm25Index[] = []): Bm25Index =>
  runToEnd(buildBm25IndexInSteps(tools, { reuse: { marks: runToEnd(markToolsInSteps(tools)).marks, others } }));

/** All of an index but the slots of its terms: these follow from the seed, which is another one for every table. */
function contentsOf({ data, tokens }: Bm25Index): unknown {
  const { bytes, starts } = data.terms;
  return { ...data, terms: { bytes, starts }, tokens };
}

describe('the lists of a changed catalog', () => {
  it('are those of a fresh build, whatever was added and removed', () => {
    fc.assert(
      fc.property(anyTools, fc.array(anyEdit, { minLength: 1, maxLength: 4 }), (tools, edits) => {
        const changed = apply(tools, edits);
        const [before, fresh] = [build(tools), build(changed)];
        // Else no impact would be taken from it.
        if (changed.length > 0) expect(fresh.data.averageLengths).toEqual(before.data.averageLengths);
        expect(contentsOf(build(changed, [before]))).toEqual(contentsOf(fresh));
      }),
      { numRuns: 150 },
    );
  });

  it.each(['come together', 'part'])('are those of a fresh build where words %s under a stem', (what) => {
    // Some tools have words of both stems.
    const words = ['post', 'posts', 'postinged', 'postinging', 'post postinged', 'posts postinging', 'mail', 'feed'];
    const apart = toolsOf(words.map((word) => `${word} the user list the report`.split(' ').slice(0, 5).join(' ')));
    const together = [...apart, ...toolsOf(['posting the user list the'], 100)];
    const [before, after] = what === 'part' ? [together, apart] : [apart, together];
    const fresh = build(after);
    expect(fresh.data.averageLengths).toEqual(build(before).data.averageLengths);
    expect(contentsOf(build(after, [build(before)]))).toEqual(contentsOf(fresh));
  });

  it('take the impacts of unchanged tools from the index before, and compute only those of new tools', () => {
    const tools = toolsOf(Array.from({ length: 40 }, (_, at) => `${WORDS[at % 20]} ${WORDS[(at * 7) % 20]} rare${at}`));
    const before = build(tools);
    const { postings, listStarts } = before.data;
    const marked = postings.slice();
    // The only posting of a word that one tool has: a gap, and an impact that no text gives.
    const rare = before.terms.findText('rare30');
    marked[(listStarts[rare + 1] ?? 0) - 1] = 7;
    const known = new Bm25Index({ ...before.data, postings: marked }, { tokens: before.tokens });
    const added = toolsOf(['post mail rare100', 'feed list rare101'], 100);
    const changed = build([...tools.slice(0, 10), ...added, ...tools.slice(12)], [known]);
    expect(changed.readList(changed.terms.findText('rare30'))).toEqual([{ tool: 30, impact: 7 }]);
    const [posting] = changed.readList(changed.terms.findText('rare100'));
    expect(posting).toEqual({ tool: 10, impact: before.readList(before.terms.findText('rare10'))[0]?.impact });
  });
});
