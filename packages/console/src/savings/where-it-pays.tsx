import type { Totals } from '@quartermaster/client';
import { type ReactNode, useState } from 'react';
import { catalogName } from '../shell/catalog-name.ts';
import { plain, signedShort } from '../shell/numbers.ts';
import { useWidth } from '../shell/use-width.ts';
import { axisMarks } from './axis.ts';

const [HEIGHT, TOP, BOTTOM, LEFT, RIGHT] = [222, 16, 28, 56, 16];

interface Place {
  readonly name: string;
  /** Tokens of definitions that a request keeps out, on average. */
  readonly size: number;
  /** Net of a request, on average. */
  readonly net: number;
}

/** Each catalog by its size: what lies left of the break-even should be sent inline. */
export function WhereItPays(props: {
  readonly catalogs: Readonly<Record<string, Totals>>;
  readonly breakEven: number | undefined;
}): ReactNode {
  const [ref, width] = useWidth();
  const [isTable, setTable] = useState(false);
  const { breakEven } = props;
  const places: readonly Place[] = Object.entries(props.catalogs)
    .filter(([, { deferred, keptOut }]) => deferred > 0 && keptOut > 0)
    .map(([name, { deferred, keptOut, net }]) => ({
      name: name === '' ? 'tools of the request' : catalogName(name),
      ...{ size: keptOut / deferred, net: net / deferred },
    }));
  return (
    <section aria-labelledby="pays-title">
      <div className="chart-head">
        <h2 id="pays-title">
          Where it pays <span className="faint small">net a request, by size of catalog in tokens</span>
        </h2>
        {places.length === 0 || breakEven === undefined ? null : (
          <button type="button" className="link small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? 'Show as chart' : 'Show as table'}
            <span className="hidden-text"> of where it pays</span>
          </button>
        )}
      </div>
      <div ref={ref}>
        {places.length === 0 || breakEven === undefined ? (
          <p className="faint plot-empty">No request has deferred tools in this period.</p>
        ) : (
          <>
            {isTable ? <PlaceTable places={places} /> : <Plot places={places} breakEven={breakEven} width={width} />}
            <LeftOfBreakEven places={places} breakEven={breakEven} />
          </>
        )}
      </div>
    </section>
  );
}

/** What the chart is for: catalogs that should be sent inline. */
function LeftOfBreakEven({
  places,
  breakEven,
}: {
  readonly places: readonly Place[];
  readonly breakEven: number;
}): ReactNode {
  const small = places.filter(({ size }) => size < breakEven).map(({ name }) => name);
  if (small.length === 0) return null;
  return (
    <p className="small dim">
      Left of the break-even: {small.slice(0, 3).join(', ')}
      {small.length > 3 ? ` and ${small.length - 3} more` : ''}. Send {small.length === 1 ? 'it' : 'them'} inline.
    </p>
  );
}

function PlaceTable({ places }: { readonly places: readonly Place[] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a pointer
    <section className="day-table" aria-label="Where it pays, as a table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Catalog</th>
            <th className="right">Tokens</th>
            <th className="right">Net a request</th>
          </tr>
        </thead>
        <tbody>
          {places
            .toSorted((left, right) => left.size - right.size)
            .map(({ name, size, net }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="right">{plain(size)}</td>
                <td className={`right ${net < 0 ? 'loss' : ''}`}>{signedShort(net)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}

/** About the size of a character, and of a line. */
const [CHARACTER, LINE] = [6.4, 14];

/** The names that don't run into another one: the most costly and the most useful catalogs first. The table has all of them. */
function withRoom(
  places: readonly Place[],
  cornerOf: (place: Place) => { readonly left: number; readonly top: number },
): ReadonlySet<string> {
  const taken: { readonly left: number; readonly right: number; readonly top: number }[] = [];
  const named = new Set<string>();
  for (const place of places.toSorted((one, other) => Math.abs(other.net) - Math.abs(one.net))) {
    const { left, top } = cornerOf(place);
    const right = left + place.name.length * CHARACTER;
    if (taken.some((one) => Math.abs(one.top - top) < LINE && left < one.right && right > one.left)) continue;
    taken.push({ left, right, top });
    named.add(place.name);
  }
  return named;
}

/** About what the words about the break-even take. */
const WORDS_WIDTH = 90;

const CURVE_POINTS = 60;

function Plot(props: {
  readonly places: readonly Place[];
  readonly breakEven: number;
  readonly width: number;
}): ReactNode {
  const { places, breakEven, width } = props;
  const sizes = [...places.map(({ size }) => size), Math.max(1, breakEven)];
  const from = 10 ** Math.floor(Math.log10(Math.min(...sizes)));
  const to = Math.max(from * 10, 10 ** Math.ceil(Math.log10(Math.max(...sizes))));
  const most = Math.max(...places.map(({ net }) => net), 0);
  const least = Math.min(...places.map(({ net }) => net), 0);
  const range = Math.max(most - least, 1);
  const x = (size: number): number => LEFT + (Math.log(size / from) / Math.log(to / from)) * (width - LEFT - RIGHT);
  const y = (net: number): number => TOP + ((most - net) / range) * (HEIGHT - TOP - BOTTOM);
  const decades = Array.from({ length: Math.round(Math.log10(to / from)) + 1 }, (_, power) => from * 10 ** power);
  // What a request nets is its size less what tool search adds, here as much as it adds on average.
  const curve = [
    ...Array.from({ length: CURVE_POINTS + 1 }, (_, at) => from * (to / from) ** (at / CURVE_POINTS)),
    breakEven,
  ]
    .sort((left, right) => left - right)
    .filter((size) => size - breakEven >= least - range * 0.05 && size - breakEven <= most)
    .map((size) => `${x(size).toFixed(1)},${y(size - breakEven).toFixed(1)}`)
    .join(' ');
  const even = x(Math.max(from, breakEven));
  // Where every catalog loses, the line at zero is at the top, and the words about it stand at the bottom.
  const isAbove = y(0) > TOP + 40;
  const wordsAt = isAbove ? TOP + 8 : HEIGHT - BOTTOM - 18;
  // At the bottom the curve and its names come from the left: the words stand on the other side of their line.
  const wordsAnchor = isAbove ? 'middle' : even > width - WORDS_WIDTH ? 'end' : 'start';
  const wordsX = even + { middle: 0, start: 6, end: -6 }[wordsAnchor];
  const named = withRoom(places, ({ name, size, net }) => {
    const [cx, cy, wide] = [x(size), y(net), name.length * CHARACTER];
    return cx > width / 2 ? { left: cx - 10 - wide, top: cy - 8 } : { left: cx, top: cy - 22 };
  });
  const label =
    `Break-even at ${plain(breakEven)} tokens. ` +
    places.map(({ name, size, net }) => `${name}: ${plain(size)} tokens, net ${signedShort(net)} a request`).join('; ');
  return (
    <svg className="plot" width={width} height={HEIGHT} role="img" aria-label={label}>
      {axisMarks(least, most, 3).map((mark) => (
        <g key={mark}>
          <line className={mark === 0 ? 'zero' : 'grid'} x1={LEFT} x2={width - RIGHT} y1={y(mark)} y2={y(mark)} />
          <text x={LEFT - 8} y={y(mark) + 4} textAnchor="end">
            {signedShort(mark)}
          </text>
        </g>
      ))}
      {decades.map((decade) => (
        <text key={decade} x={x(decade)} y={HEIGHT - 6} textAnchor="middle">
          {decade >= 1_000 ? `${decade / 1_000} k` : decade}
        </text>
      ))}
      <line className="lead" x1={even} x2={even} y1={isAbove ? TOP + 30 : y(0)} y2={isAbove ? y(0) : HEIGHT - BOTTOM} />
      <text className="ink name" x={wordsX} y={wordsAt} textAnchor={wordsAnchor}>
        break-even
      </text>
      <text className="name" x={wordsX} y={wordsAt + 14} textAnchor={wordsAnchor}>
        {plain(breakEven)} tokens
      </text>
      <polyline className="curve" points={curve} />
      {places.map(({ name, size, net }) => (
        <g key={name}>
          <circle className={net < 0 ? 'minus' : 'plus'} cx={x(size)} cy={y(net)} r="4.5">
            <title>{`${name}: ${plain(size)} tokens, net ${signedShort(net)} a request`}</title>
          </circle>
          {named.has(name) ? (
            <text
              className={net < 0 ? 'loss name' : 'ink name'}
              x={x(size) + (x(size) > width / 2 ? -10 : 0)}
              // On the left the curve runs along the axis: names stand above it.
              y={x(size) > width / 2 ? y(net) + 4 : y(net) - 10}
              textAnchor={x(size) > width / 2 ? 'end' : 'start'}
            >
              {name}
            </text>
          ) : null}
        </g>
      ))}
    </svg>
  );
}
