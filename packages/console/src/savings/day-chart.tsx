import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { plain } from '../shell/numbers.ts';
import { useWidth } from '../shell/use-width.ts';
import { axisMarks } from './axis.ts';

/** One day of the period, in the unit that is shown. */
export interface Day {
  readonly day: string;
  readonly net: number;
  readonly requests: number;
}

const [HEIGHT, TOP, BOTTOM, LEFT] = [222, 10, 28, 64];

/** Room below the bars for the words about the worst day. */
const WORST_HEIGHT = 18;

/** About half of what these words take, so that they stay inside of the chart. */
const WORST_HALF = 72;

/** Net by day: above the line what was kept out, below it what tool search cost. */
export function DayChart(props: {
  readonly days: readonly Day[];
  readonly format: (value: number) => string;
}): ReactNode {
  const { days, format } = props;
  const [ref, width] = useWidth();
  const [isTable, setTable] = useState(false);
  return (
    <section aria-labelledby="days-title">
      <div className="chart-head">
        <h2 id="days-title">
          Net by day <span className="faint small">kept out, minus our tools, notes, answers and extra rounds</span>
        </h2>
        <button type="button" className="link small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
          <span className="hidden-text"> of net by day</span>
        </button>
      </div>
      <div ref={ref}>
        {isTable ? <DayTable days={days} format={format} /> : <Bars days={days} format={format} width={width} />}
      </div>
    </section>
  );
}

function Bars(props: {
  readonly days: readonly Day[];
  readonly format: (value: number) => string;
  readonly width: number;
}): ReactNode {
  const { days, format, width } = props;
  const most = Math.max(...days.map(({ net }) => net), 0);
  const least = Math.min(...days.map(({ net }) => net), 0);
  const range = Math.max(most - least, Number.EPSILON);
  const worst = worstOf(days);
  const bottom = worst === undefined ? BOTTOM : BOTTOM + WORST_HEIGHT;
  const y = (value: number): number => TOP + ((most - value) / range) * (HEIGHT - TOP - bottom);
  const slot = Math.max(0, width - LEFT) / Math.max(days.length, 1);
  const bar = Math.min(slot * 0.72, 40);
  const every = Math.max(1, Math.ceil(64 / Math.max(slot, 1)));
  const x = (index: number): number => LEFT + slot * (index + 0.5);
  const sum = days.reduce((total, { net }) => total + net, 0);
  const label = `Net by day over ${days.length} days, ${format(sum)} in all; as a table with the button above`;
  return (
    <svg className="plot" width={width} height={HEIGHT} role="img" aria-label={label}>
      {axisMarks(least, most).map((mark) => (
        <g key={mark}>
          <line className={mark === 0 ? 'zero' : 'grid'} x1={LEFT} x2={width} y1={y(mark)} y2={y(mark)} />
          <text x={LEFT - 8} y={y(mark) + 4} textAnchor="end">
            {format(mark)}
          </text>
        </g>
      ))}
      {days.map(({ day, net }, index) => (
        <g key={day}>
          <rect
            className={`${net < 0 ? 'minus' : 'plus'}${index === days.length - 1 ? ' today' : ''}`}
            x={x(index) - bar / 2}
            y={Math.min(y(net), y(0))}
            width={bar}
            height={net === 0 ? 0 : Math.max(1, Math.abs(y(net) - y(0)))}
          >
            <title>{`${dayName(day)}: ${format(net)}`}</title>
          </rect>
          {(days.length - 1 - index) % every === 0 ? (
            <text x={x(index)} y={HEIGHT - 6} textAnchor={index === days.length - 1 && slot < 48 ? 'end' : 'middle'}>
              {index === days.length - 1 ? 'today' : dayName(day)}
            </text>
          ) : null}
        </g>
      ))}
      {worst === undefined ? null : (
        <text
          className="loss"
          x={Math.min(Math.max(x(worst.index), LEFT + WORST_HALF), Math.max(width - WORST_HALF, LEFT + WORST_HALF))}
          y={y(worst.net) + 14}
          textAnchor="middle"
        >
          {format(worst.net)} on {dayName(worst.day)}
        </text>
      )}
    </svg>
  );
}

/** A loss is called by its name, unless it is the only day there is. */
function worstOf(days: readonly Day[]): (Day & { readonly index: number }) | undefined {
  if (days.length < 2) return undefined;
  const [worst] = days.map((day, index) => ({ ...day, index })).sort((left, right) => left.net - right.net);
  return worst === undefined || worst.net >= 0 ? undefined : worst;
}

function DayTable({ days, format }: Parameters<typeof DayChart>[0]): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a pointer
    <section className="day-table" aria-label="Net by day, as a table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Day</th>
            <th className="right">Net</th>
            <th className="right">Requests</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, net, requests }) => (
            <tr key={day}>
              <td>
                <Link to="/activity" search={spanOf(day)}>
                  {day}
                </Link>
              </td>
              <td className={`right ${net < 0 ? 'loss' : ''}`}>{format(net)}</td>
              <td className="right">{plain(requests)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What a link to the requests of a day holds. */
function spanOf(day: string): { readonly from: string; readonly to: string } {
  const start = Date.parse(`${day}T00:00:00Z`);
  return { from: new Date(start).toISOString(), to: new Date(start + DAY_MS).toISOString() };
}

const DAY_MS = 86_400_000;

function dayName(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
