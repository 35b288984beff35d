/** Groups of horizontal bars on a logarithmic scale as an SVG that reads on light and dark pages. */
export function drawBars(groups, { labelWidth = 130 } = {}) {
  const barWidth = WIDTH - labelWidth - VALUE_WIDTH;
  const parts = [];
  let y = MARGIN;
  for (const { title, bars } of groups) {
    parts.push(`<text class="title" x="${MARGIN}" y="${y + 14}">${escapeXml(title)}</text>`);
    y += 26;
    const smallest = Math.min(...bars.map((bar) => bar.value));
    const largest = Math.max(...bars.map((bar) => bar.value));
    // One decade of room below the smallest, so that it has a bar too.
    const scale = (value) => (Math.log10(value / smallest) + 0.3) / (Math.log10(largest / smallest) + 0.3);
    for (const { label, value } of bars) {
      const width = Math.max(2, scale(value) * barWidth);
      const isOurs = label === 'quartermaster';
      parts.push(
        `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end"${isOurs ? ' class="ours"' : ''}>${escapeXml(label)}</text>`,
        `<rect x="${labelWidth}" y="${y}" width="${width.toFixed(1)}" height="18" rx="2" fill="${isOurs ? '#0a7d5a' : '#8a94a6'}"/>`,
        `<text x="${labelWidth + width + 6}" y="${y + 13}">${format(value)}</text>`,
      );
      y += 23;
    }
    y += 14;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}">
<title>${escapeXml(groups.map(({ title }) => title).join('; '))}</title>
<style>text{font:12px system-ui,sans-serif;fill:#5a6473}.title{font-weight:600;font-size:13px}.ours{font-weight:600;fill:#0a7d5a}</style>
${parts.join('\n')}
<text x="${MARGIN}" y="${y - 4}">Logarithmic scale; shorter is better.</text>
</svg>
`;
}

function format(value) {
  if (value >= 100) return String(Math.round(value));
  return value >= 1 ? value.toFixed(1) : value.toPrecision(2);
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const WIDTH = 760;
/** Room for the figure behind the longest bar. */
const VALUE_WIDTH = 90;
const MARGIN = 12;
