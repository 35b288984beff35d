import { METRIC_TITLES } from 'quartermaster';

const SHOWN = ['hit1', 'hit5', 'recall5'];
const COLOURS = ['#0a7d5a', '#3f6fb5', '#b5793f', '#8a94a6'];

/** The reported rows and their average as bars with their intervals, one block per metric, one colour per engine. */
export function drawPicture(measured) {
  const labels = [...measured[0].rows.filter((row) => row.isReported).map((row) => labelOf(row)), 'macro average'];
  const parts = [];
  let y = 24;
  measured.forEach(({ engine }, index) => {
    parts.push(
      `<rect x="${12 + index * 120}" y="8" width="12" height="12" fill="${COLOURS[index % COLOURS.length]}"/>`,
    );
    parts.push(`<text x="${30 + index * 120}" y="18">${escapeXml(engine)}</text>`);
  });
  for (const metric of SHOWN) {
    parts.push(`<text class="title" x="12" y="${y + 18}">${METRIC_TITLES[metric]}</text>`);
    y += 28;
    labels.forEach((label, row) => {
      parts.push(`<text x="192" y="${y + 6 * measured.length + 2}" text-anchor="end">${escapeXml(label)}</text>`);
      measured.forEach((entry, index) => {
        const reported = entry.rows.filter((candidate) => candidate.isReported);
        const { mean, low, high } = (reported[row]?.summary ?? entry.macro).scores[metric];
        const top = y + index * 12;
        const colour = COLOURS[index % COLOURS.length];
        parts.push(
          `<rect x="200" y="${top}" width="${(mean * 480).toFixed(1)}" height="10" fill="${colour}"/>`,
          `<path d="M${(200 + low * 480).toFixed(1)} ${top + 5}H${(200 + high * 480).toFixed(1)}" stroke="#1c2430" stroke-width="1.5"/>`,
          `<text x="${(206 + high * 480).toFixed(1)}" y="${top + 9}">${(mean * 100).toFixed(1)}</text>`,
        );
      });
      y += 12 * measured.length + 8;
    });
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="${y + 12}" viewBox="0 0 760 ${y + 12}">
<style>text{font:11px system-ui,sans-serif;fill:#5a6473}.title{font-weight:600;font-size:13px}</style>
${parts.join('\n')}
</svg>
`;
}

function labelOf({ set, split }) {
  return split === 'all' ? set : set === 'sample catalog' ? split : `${set} ${split}`;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
