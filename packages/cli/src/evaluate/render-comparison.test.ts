import { createSnapshot, type Searcher } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { drawComparison } from './draw-comparison.ts';
import { evaluateQueries } from './evaluate-queries.ts';
import { type Comparison, renderComparison } from './render-comparison.ts';
import { summariseOutcomes } from './summarise-outcomes.ts';

const snapshot = createSnapshot([createTool({ name: 'send' }), createTool({ name: 'pay' })]);

/** Finds a tool by its name, refuses what it is told to, and is as sure as it is told to be. */
function searcherThat(refuses: string, confidence: number): Searcher {
  return {
    engine: 'bm25',
    async search({ query }) {
      const hits = snapshot.tools
        .filter(({ name }) => String(query).includes(name))
        .map((tool) => ({ tool, score: 1 }));
      return { hits, verdict: String(query).includes(refuses) ? 'none' : 'match', confidence };
    },
    async explain() {
      return { kind: 'not-allowed' };
    },
  };
}

async function compare(): Promise<Comparison> {
  const queries = [
    { query: 'send it', relevant: ['send'] },
    { query: 'pay now', relevant: ['pay'] },
    { query: 'fly now', relevant: [] },
  ];
  const summaries = await Promise.all(
    [searcherThat('now', 0.2), searcherThat('never', 0.9)].map(async (searcher) =>
      summariseOutcomes(await evaluateQueries(queries, { searcher, snapshot })),
    ),
  );
  const [one] = summaries;
  const average = { label: 'average', summaries: summaries.map(({ scores }) => ({ scores })) };
  return { engines: ['<strict>', 'loose'], rows: one === undefined ? [] : [{ label: 'plain', summaries }, average] };
}

describe('renderComparison', () => {
  it('shows every figure with the engines side by side', async () => {
    const text = renderComparison(await compare());
    expect(text).toMatch(/^hit@5 +queries +<strict> +loose$/m);
    expect(text).toMatch(/^average +100\.0 \(\d+\.\d–100\.0\)/m);
    expect(text).toMatch(/^right answers refused +queries.*\nplain +2 +50\.0 \(\S+\) +0\.0 \(0\.0–/m);
    expect(text).toMatch(/^nothing fits: refused +queries.*\nplain +1 +100\.0 \(\S+–100\.0\) +0\.0 \(0\.0–/m);
    expect(text).not.toContain('NaN');
  });

  it('leaves out of a table what the terminal has no room for: first intervals, then p99', async () => {
    const { rows } = await compare();
    const [first] = rows;
    const summaries = Array.from({ length: 4 }, () => first?.summaries[0] ?? { scores: {} as never });
    const many = summaries.map((summary) => ({ ...summary, queries: 1234, latencyMs: { p50: 123.45, p99: 2345.67 } }));
    const engines = ['bm25', 'semantic', 'hybrid', 'hybrid+reranker'];
    const comparison = { engines, rows: [{ label: 'no-service-named', summaries: many }] };
    const narrow = renderComparison(comparison, 80);
    expect(narrow.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(narrow).toMatch(/^p50 in ms +queries +bm25 .*\nno-service-named +1,234 +123\.45 /m);
    expect(renderComparison(comparison)).toMatch(
      /^p50, p99 in ms +queries .*\nno-service-named +1,234 +123\.45, 2345\.67 /m,
    );
  });

  const HOSTILE = 's\u001b[31mRED\u0007\u009b\u202Ertl\u0000\n\ud800\uffff <&>';

  it('a label cannot write control characters to the terminal, and a long one is cut', async () => {
    const { engines, rows } = await compare();
    const [first] = rows;
    const labels = [HOSTILE, 'x'.repeat(500)];
    const text = renderComparison({
      engines,
      rows: labels.map((label) => ({ summaries: first?.summaries ?? [], label })),
    });
    expect(text).toMatch(/^s \[31mRED rtl .* <&> +2 /m);
    expect(text).toMatch(/^x{39}… +2 /m);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('escapes labels for XML and cuts them to the available width', async () => {
    const { rows } = await compare();
    const [first] = rows;
    const labels = [HOSTILE, 'W'.repeat(60), '日本語'.repeat(20), 'seal_tools test_out_domain'];
    const svg = drawComparison({
      engines: ['a very long name of an engine, without end'],
      rows: labels.map((label) => ({ summaries: first?.summaries.slice(0, 1) ?? [], label })),
    });
    const texts = [...svg.matchAll(/text-anchor="end">([^<]*)</g)].map(([, text]) => text);
    expect(texts.slice(0, 4)).toEqual([
      's [31mRED rtl \ufffd\ufffd &lt;&amp;>',
      expect.stringMatching(/^W{10,20}…$/),
      expect.stringMatching(/^[日本語]{10,15}…$/),
      'seal_tools test_out_domain',
    ]);
    expect(svg).toMatch(/>a very long n\S*…</);
    expect(svg.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff]/u);
  });

  it('draws a bar for each engine in each block, with escaped names', async () => {
    const svg = drawComparison(await compare());
    // Three figures of two rows and two engines, and two squares of the legend.
    expect(svg.match(/<rect /g)).toHaveLength(14);
    expect(svg).toContain('&lt;strict>');
    expect(svg).not.toContain('NaN');
  });
});
