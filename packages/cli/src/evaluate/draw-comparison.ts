import { oneLine } from '../terminal/index.ts';
import { COMPARED_METRICS, type Comparison, LABEL_CHARACTERS } from './render-comparison.ts';
import { METRIC_TITLES } from './summarise-outcomes.ts';

/** A comparison as an SVG: bars with their intervals, a block for each figure, a colour for each engine. */
export function drawComparison({ engines, rows }: Comparison): string {
  const scored = rows.filter(({ summaries }) => summaries[0]?.queries !== 0);
  const parts = engines.flatMap((engine, at) => [
    `<rect x="${MARGIN + at * LEGEND}" y="8" width="12" height="12" fill="${colourOf(at)}"/>`,
    `<text x="${MARGIN + 18 + at * LEGEND}" y="18">${writeLabel(engine, LEGEND - 24)}</text>`,
  ]);
  let y = 24;
  for (const metric of COMPARED_METRICS) {
    parts.push(`<text class="title" x="${MARGIN}" y="${y + 18}">${METRIC_TITLES[metric]}, %</text>`);
    y += 28;
    for (const { label, summaries } of scored) {
      const middle = y + (BAR * summaries.length) / 2 + 4;
      parts.push(`<text x="${LEFT - 8}" y="${middle}" text-anchor="end">${writeLabel(label, LEFT - 16)}</text>`);
      for (const [at, { scores }] of summaries.entries()) {
        const { mean, low, high } = scores[metric];
        const top = y + at * BAR;
        parts.push(
          `<rect x="${LEFT}" y="${top}" width="${(mean * WIDE).toFixed(1)}" height="${BAR - 2}" fill="${colourOf(at)}"/>`,
          `<path d="M${x(low)} ${top + BAR / 2 - 1}H${x(high)}" stroke="#1c2430" stroke-width="1.5"/>`,
          `<text x="${x(high + 0.01)}" y="${top + BAR - 3}">${(mean * 100).toFixed(1)}</text>`,
        );
      }
      y += BAR * summaries.length + 8;
    }
  }
  const size = `width="${WIDTH}" height="${y + MARGIN}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${WIDTH} ${y + MARGIN}">
<style>text{font:11px system-ui,sans-serif;fill:#5a6473}.title{font-weight:600;font-size:13px}</style>
${parts.join('\n')}
</svg>
`;
}

function x(share: number): string {
  return (LEFT + share * WIDE).toFixed(1);
}

function colourOf(engine: number): string {
  return COLOURS[engine % COLOURS.length] ?? '';
}

/** As much of a label as fits, escaped: labels come from outside. */
function writeLabel(label: string, width: number): string {
  const characters = [...oneLine(label, LABEL_CHARACTERS)];
  if (countFitting(characters, width) === characters.length) return escapeXml(characters.join(''));
  const shown = characters.slice(0, countFitting(characters, width - widthOf('…')));
  return escapeXml(`${shown.join('')}…`);
}

function countFitting(characters: readonly string[], width: number): number {
  let used = 0;
  const beyond = characters.findIndex((character) => {
    used += widthOf(character);
    return used > width;
  });
  return beyond < 0 ? characters.length : beyond;
}

/** The width of a character at the drawing's text size, an upper estimate: the font is not known here. */
function widthOf(character: string): number {
  if (/[mwMW@%]/.test(character)) return 10.5;
  if (/[a-z0-9 .,:;_*/()-]/.test(character)) return 6.5;
  return character < '\u1100' ? 8.5 : 12;
}

/** XML has no way to write some characters. */
function escapeXml(text: string): string {
  const known = text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
  return known.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const COLOURS = ['#8a94a6', '#3f6fb5', '#0a7d5a', '#b5793f', '#7a4f9e'];
const WIDTH = 760;
const MARGIN = 12;
const LEGEND = 130;
/** Where the bars start, and the length of 100%. */
const LEFT = 200;
const WIDE = 480;
const BAR = 12;
