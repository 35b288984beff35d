/** Lines over the number of tools, both on logarithmic scales, as an SVG on white. */
export function drawGrowth({ title, unit, lines }) {
  const points = lines.flatMap((line) => line.points);
  const [left, right] = bounds(points.map(([size]) => size));
  const [low, high] = bounds(points.map(([, value]) => value));
  const x = (size) => LEFT + ((Math.log10(size) - left) / (right - left)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - ((Math.log10(value) - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const parts = [`<text class="title" x="12" y="22">${title} (${unit})</text>`];
  for (let power = left; power <= right; power += 1) {
    const at = x(10 ** power).toFixed(1);
    parts.push(
      `<line x1="${at}" x2="${at}" y1="${TOP}" y2="${HEIGHT - BOTTOM}" stroke="#8a94a6" stroke-opacity="0.25"/>`,
    );
    parts.push(
      `<text x="${at}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${(10 ** power).toLocaleString('en')}</text>`,
    );
  }
  for (let power = low; power <= high; power += 1) {
    const at = y(10 ** power).toFixed(1);
    parts.push(
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#8a94a6" stroke-opacity="0.25"/>`,
    );
    parts.push(`<text x="${LEFT - 8}" y="${Number(at) + 4}" text-anchor="end">${label(10 ** power)}</text>`);
  }
  for (const [number, line] of lines.entries()) {
    const color = COLORS[number];
    const path = line.points.map(([size, value]) => `${x(size).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    parts.push(`<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>`);
    for (const [at, [size, value]] of line.points.entries()) {
      const isLast = at === line.points.length - 1;
      parts.push(`<circle cx="${x(size).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3" fill="${color}"/>`);
      const text = `${isLast ? `${line.label}: ` : ''}${label(value)}`;
      parts.push(
        `<text x="${(x(size) + 8).toFixed(1)}" y="${(y(value) + (number === 0 ? 16 : -6)).toFixed(1)}" style="fill:${color}">${text}</text>`,
      );
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<title>${title} (${unit})</title>
<style>text{font:12px system-ui,sans-serif;fill:#374151}.title{font-weight:600;font-size:13px}</style>
<rect width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#ffffff"/>
${parts.join('\n')}
<text x="${LEFT}" y="${HEIGHT - 6}">tools in the catalog; both scales are logarithmic</text>
</svg>
`;
}

/** Whole powers of ten around the values. */
function bounds(values) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return [low, Math.max(high, low + 1)];
}

function label(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 1 ? String(Number(value.toFixed(1))) : value.toPrecision(2);
}

const COLORS = ['#0a7d5a', '#3b6fd4'];
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [760, 340, 70, 120, 40, 50];
