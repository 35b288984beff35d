const WIDTH = 760;
const LABELS = 150;
const PLOT = WIDTH - LABELS - 70;
const COLORS = ['#8a94a6', '#3b6fd4', '#0a7d5a'];

/** The table of results in docs/measured.md, which has the engines as rows and the test sets as columns, as a chart. */
export function drawRetrieval(page: string): string {
  const [head = [], ...engines] = [...page.matchAll(/^\| (?:engine|BM25|hybrid).*\|$/gm)].map(([row]) =>
    row
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
  const parts: string[] = [];
  let y = 40;
  for (const [number, [name = '']] of engines.entries()) {
    const x = LABELS + number * 180;
    parts.push(`<rect x="${x}" y="14" width="12" height="12" rx="2" fill="${COLORS[number]}"/>`);
    parts.push(`<text x="${x + 18}" y="24">${name}</text>`);
  }
  for (const [column, set] of head.entries()) {
    if (column === 0) continue;
    parts.push(
      `<text x="${LABELS - 10}" y="${y + 30}" text-anchor="end"${set === 'average' ? ' class="b"' : ''}>${set}</text>`,
    );
    for (const [number, cells] of engines.entries()) {
      const value = Number(cells[column]);
      const width = ((PLOT * value) / 100).toFixed(1);
      parts.push(`<rect x="${LABELS}" y="${y}" width="${width}" height="14" rx="2" fill="${COLORS[number]}"/>`);
      parts.push(`<text x="${LABELS + Number(width) + 6}" y="${y + 11}">${cells[column]}</text>`);
      y += 17;
    }
    y += 12;
  }
  const height = y + 20;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">
<title>Share of the right tools among the first five, by test set and engine</title>
<style>text{font:12px system-ui,sans-serif;fill:#374151}.b{font-weight:600}</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>
${parts.join('\n')}
<text x="${LABELS}" y="${height - 12}">Percent of the right tools among the first five; longer is better.</text>
</svg>
`;
}
