import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { plain } from '../shell/numbers.ts';
import { useWidth } from '../shell/use-width.ts';
import type { ServerGroup } from './server-groups.ts';

/** Drawn in these units, and stretched to the width of the page. */
const [WIDTH, HEIGHT] = [1000, 400];

/** How often a tool was called decides its shade. */
const STEPS: readonly (readonly [least: number, label: string])[] = [
  [0, 'never'],
  [1, '1–9'],
  [10, '10–49'],
  [50, '50–199'],
  [200, '200+'],
];

interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

interface Place {
  readonly group: ServerGroup;
  readonly box: Box;
}

/** `held` for tools that wait for a decision. */
type Shade = number | 'held';

type Paths = readonly (readonly [shade: Shade, path: string])[];

/** What each server costs in a prompt, by area, and in it what each tool costs. The table next to it says the same in words. */
export function Treemap(props: {
  readonly groups: readonly ServerGroup[];
  readonly chosen: string | undefined;
  readonly onChoose: (server: string) => void;
}): ReactNode {
  const { groups, chosen, onChoose } = props;
  const places = useMemo(() => layOut(groups), [groups]);
  const [ref, width] = useWidth();
  const paths = useToolPaths(places);
  const isHeld = groups.some(({ held }) => held.length > 0);
  return (
    <>
      <div ref={ref} className="treemap">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {paths.map(([shade, path]) => (
            <path key={shade} className={`shade-${shade}`} d={path} />
          ))}
        </svg>
        <ul aria-label="Token cost by server">
          {places.map(({ group, box }) => (
            <li
              key={group.name}
              style={{
                left: `${(100 * box.x0) / WIDTH}%`,
                top: `${(100 * box.y0) / HEIGHT}%`,
                width: `${(100 * (box.x1 - box.x0)) / WIDTH}%`,
                height: `${(100 * (box.y1 - box.y0)) / HEIGHT}%`,
              }}
            >
              <button
                type="button"
                aria-pressed={group.name === chosen}
                aria-label={describe(group)}
                title={describe(group)}
                onClick={() => onChoose(group.name)}
              >
                <Label group={group} box={box} width={width} />
              </button>
            </li>
          ))}
        </ul>
      </div>
      <p className="legend small faint">
        <span>Area: tokens. Shade: calls.</span>
        {STEPS.map(([least, label], shade) => (
          <span key={least}>
            <i className={`swatch shade-${shade}`} /> {label}
          </span>
        ))}
        {isHeld ? (
          <span>
            <i className="swatch shade-held" /> changed, held back
          </span>
        ) : null}
      </p>
    </>
  );
}

/** What would be cut is not shown: the button's name has it, and the table below. */
function Label({ group, box, width }: Place & { readonly width: number }): ReactNode {
  const name = nameOf(group);
  const tokens = plain(group.tokens);
  const room = ((box.x1 - box.x0) * width) / WIDTH - LABEL_FRAME;
  if (room < name.length * CHARACTER || box.y1 - box.y0 < LABEL_HEIGHT) return null;
  return (
    <span className="treemap-label">
      <strong>{name}</strong>
      {room < (name.length + 1 + tokens.length) * CHARACTER ? null : ` ${tokens}`}
    </span>
  );
}

/** What a box stands for: small ones have no room for a label. */
function describe(group: ServerGroup): string {
  const count = group.tools.length;
  return `${nameOf(group)} ${plain(group.tokens)} tokens, ${plain(count)} ${count === 1 ? 'tool' : 'tools'}`;
}

function nameOf({ name }: ServerGroup): string {
  return name === '' ? 'no server' : name;
}

/** How wide a character of a label is, and what is around the text, in pixels; how high a box has to be, in units. */
const [CHARACTER, LABEL_FRAME, LABEL_HEIGHT] = [6.6, 18, 36];

/** What a group needs room for: with the tools that are held back, which the catalog doesn't count. */
function areaOf({ tokens, held }: ServerGroup): number {
  return held.reduce((sum, change) => sum + change.tokens.after, tokens);
}

/** The servers' boxes. Only these are laid out at once: the tools in them follow server by server. */
function layOut(groups: readonly ServerGroup[]): readonly Place[] {
  const shown = groups.filter((group) => areaOf(group) > 0);
  return tile(shown.map(areaOf), { x0: 0, y0: 0, x1: WIDTH, y1: HEIGHT }, 3).flatMap((box, index) => {
    const group = shown[index];
    return group === undefined ? [] : [{ group, box }];
  });
}

/** Adds the tools of one server: one path for each shade, so that thousands of tools stay a handful of elements. */
function drawTools({ group, box }: Place, paths: Map<Shade, string>): void {
  const { tools, held } = group;
  const sizes = [...tools.map(({ tokens }) => tokens), ...held.map(({ tokens }) => tokens.after)];
  const boxes = tile(sizes, box, 0.5);
  for (const [index, { x0, y0, x1, y1 }] of boxes.entries()) {
    const tool = tools[index];
    const shade = tool === undefined ? 'held' : shadeOf(tool.calls);
    const path = `M${round(x0)} ${round(y0)}H${round(x1)}V${round(y1)}H${round(x0)}Z`;
    paths.set(shade, (paths.get(shade) ?? '') + path);
  }
}

function tile(sizes: readonly number[], { x0, y0, x1, y1 }: Box, padding: number): readonly Box[] {
  const root = hierarchy<{ readonly children?: readonly unknown[]; readonly value?: number }>({
    children: sizes.map((value) => ({ value })),
  }).sum(({ value = 0 }) => value);
  const placed = treemap<{ readonly children?: readonly unknown[]; readonly value?: number }>()
    .tile(treemapSquarify)
    .size([x1 - x0, y1 - y0])
    .paddingInner(padding)(root);
  return (placed.children ?? []).map((node) => ({
    ...{ x0: x0 + node.x0, y0: y0 + node.y0, x1: x0 + node.x1, y1: y0 + node.y1 },
  }));
}

/** Draws server by server, and lets the browser have a turn after each few milliseconds. */
function useToolPaths(places: readonly Place[]): Paths {
  const [drawn, setDrawn] = useState<Paths>([]);
  useEffect(() => {
    const paths = new Map<Shade, string>();
    let next = 0;
    let timer: ReturnType<typeof setTimeout>;
    const draw = (): void => {
      const start = performance.now();
      while (next < places.length && performance.now() - start < SLICE_MS) {
        const place = places[next++];
        if (place !== undefined) drawTools(place, paths);
      }
      if (next < places.length) timer = setTimeout(draw);
      else setDrawn([...paths]);
    };
    timer = setTimeout(draw);
    return () => clearTimeout(timer);
  }, [places]);
  return drawn;
}

const SLICE_MS = 8;

function shadeOf(calls: number): number {
  return STEPS.findLastIndex(([least]) => calls >= least);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
