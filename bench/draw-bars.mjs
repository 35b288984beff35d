/**
 * Groups of horizontal bars as an SVG on white. `quartermaster` and bars marked `isOurs` are green. The scale is logarithmic
 * unless `isLinear`.
 */
export function drawBars(
  groups,
  {
    labelWidth = 130,
    isLinear = false,
    note = isLinear ? 'Shorter is better.' : 'Logarithmic scale; shorter is better.',
  } = {},
) {
  const barWidth = WIDTH - labelWidth - VALUE_WIDTH;
  const parts = [];
  let y = MARGIN;
  for (const { title, bars } of groups) {
    parts.push(`<text class="title" x="${MARGIN}" y="${y + 14}">${escapeXml(title)}</text>`);
    y += 26;
    const share = isLinear ? linearScale(bars) : logarithmicScale(bars);
    for (const { label, value, isOurs = label === 'quartermaster' } of bars) {
      const width = Math.max(2, share(value) * barWidth);
      parts.push(
        `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end"${isOurs ? ' class="ours"' : ''}>${escapeXml(label)}</text>`,
        `<rect x="${labelWidth}" y="${y}" width="${width.toFixed(1)}" height="18" rx="2" fill="${isOurs ? '#0a7d5a' : '#8a94a6'}"/>`,
        `<text x="${(labelWidth + width + 6).toFixed(1)}" y="${y + 13}">${format(value)}</text>`,
      );
      y += 23;
    }
    y += 14;
  }
  const height = y + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">
<title>${escapeXml(groups.map(({ title }) => title).join('; '))}</title>
<style>text{font:12px system-ui,sans-serif;fill:#374151}.title{font-weight:600;font-size:13px}.ours{font-weight:600;fill:#0a7d5a}</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>
${parts.join('\n')}
<text x="${MARGIN}" y="${y}">${escapeXml(note)}</text>
</svg>
`;
}

function linearScale(bars) {
  const largest = Math.max(...bars.map(({ value }) => value));
  return (value) => value / largest;
}

function logarithmicScale(bars) {
  const values = bars.map(({ value }) => value);
  const [smallest, largest] = [Math.min(...values), Math.max(...values)];
  // A third of a decade of room below the smallest, so that it has a bar too.
  return (value) => (Math.log10(value / smallest) + 0.3) / (Math.log10(largest / smallest) + 0.3);
}

function format(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 1 ? value.toFixed(1) : value.toPrecision(2);
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const WIDTH = 760;
/** Room for the figure behind the longest bar. */
const VALUE_WIDTH = 90;
const MARGIN = 12;
