/** Lines over minutes, one panel below the other, as an SVG on white. */
export function drawLines(panels) {
  const parts = [];
  let top = MARGIN;
  for (const { title, lines, limit } of panels) {
    const points = lines.flatMap((line) => line.points);
    const right = Math.max(1e-9, ...points.map(([x]) => x));
    const high = 1.1 * Math.max(1e-9, limit?.value ?? 0, ...points.map(([, y]) => y));
    const xOf = (x) => (LEFT + (x / right) * PLOT_WIDTH).toFixed(1);
    const yOf = (y) => (top + HEAD + PLOT_HEIGHT - (y / high) * PLOT_HEIGHT).toFixed(1);
    parts.push(`<text class="title" x="${MARGIN}" y="${top + 14}">${escapeXml(title)}</text>`);
    for (const part of [0, 0.5, 1]) {
      parts.push(
        `<line x1="${LEFT}" x2="${LEFT + PLOT_WIDTH}" y1="${yOf(part * high)}" y2="${yOf(part * high)}" class="grid"/>`,
        `<text x="${LEFT - 6}" y="${Number(yOf(part * high)) + 4}" text-anchor="end">${Math.round(part * high)}</text>`,
      );
    }
    if (limit !== undefined) {
      parts.push(
        `<line x1="${LEFT}" x2="${LEFT + PLOT_WIDTH}" y1="${yOf(limit.value)}" y2="${yOf(limit.value)}" class="limit"/>`,
        `<text x="${LEFT + PLOT_WIDTH}" y="${Number(yOf(limit.value)) - 4}" text-anchor="end" class="limit-label">${escapeXml(limit.label)}: ${Math.round(limit.value)}</text>`,
      );
    }
    for (const line of lines) {
      parts.push(`<polyline points="${line.points.map(([x, y]) => `${xOf(x)},${yOf(y)}`).join(' ')}" class="line"/>`);
    }
    parts.push(
      `<text x="${LEFT}" y="${top + HEAD + PLOT_HEIGHT + 16}">0</text>`,
      `<text x="${LEFT + PLOT_WIDTH}" y="${top + HEAD + PLOT_HEIGHT + 16}" text-anchor="end">${right.toFixed(right < 5 ? 1 : 0)} minutes</text>`,
    );
    top += HEAD + PLOT_HEIGHT + FOOT;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${top}" viewBox="0 0 ${WIDTH} ${top}">
<title>${escapeXml(panels.map(({ title }) => title).join('; '))}</title>
<style>text{font:12px system-ui,sans-serif;fill:#374151}.title{font-weight:600;font-size:13px}.grid{stroke:#8a94a6;stroke-opacity:.3}.limit{stroke:#c2410c;stroke-dasharray:5 4}.limit-label{fill:#c2410c}.line{fill:none;stroke:#0a7d5a;stroke-width:1.6}</style>
<rect width="${WIDTH}" height="${top}" rx="8" fill="#ffffff"/>
${parts.join('\n')}
</svg>
`;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const WIDTH = 760;
const MARGIN = 12;
const LEFT = 60;
const PLOT_WIDTH = WIDTH - LEFT - MARGIN;
const HEAD = 26;
const PLOT_HEIGHT = 120;
const FOOT = 34;
