import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy';
import { type ReactNode, useMemo } from 'react';
import { plain } from '../shell/numbers.ts';
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

interface Leaf {
  readonly calls: number;
  readonly value: number;
}

interface Place {
  readonly group: ServerGroup;
  readonly box: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
  /** One path for each shade: thousands of tools stay a handful of elements. */
  readonly paths: readonly (readonly [shade: number, path: string])[];
}

/** What each server costs in a prompt, by area, and in it what each tool costs. The table beside it says the same in words. */
export function Treemap(props: {
  readonly groups: readonly ServerGroup[];
  readonly chosen: string | undefined;
  readonly onChoose: (server: string) => void;
}): ReactNode {
  const { groups, chosen, onChoose } = props;
  const places = useMemo(() => layOut(groups), [groups]);
  return (
    <>
      <ul className="treemap" aria-label="Token cost by server">
        {places.map(({ group, box, paths }) => (
          <li
            key={group.name}
            style={{
              left: `${(100 * box.x0) / WIDTH}%`,
              top: `${(100 * box.y0) / HEIGHT}%`,
              width: `${(100 * (box.x1 - box.x0)) / WIDTH}%`,
              height: `${(100 * (box.y1 - box.y0)) / HEIGHT}%`,
            }}
          >
            <button type="button" aria-pressed={group.name === chosen} onClick={() => onChoose(group.name)}>
              <svg
                viewBox={`${box.x0} ${box.y0} ${box.x1 - box.x0} ${box.y1 - box.y0}`}
                preserveAspectRatio="none"
                aria-hidden="true"
              >
                {paths.map(([shade, path]) => (
                  <path key={shade} className={`shade-${shade}`} d={path} />
                ))}
              </svg>
              <span className={isRoomy(box) ? 'treemap-label' : 'hidden-text'}>
                <strong>{group.name === '' ? 'no server' : group.name}</strong> <span>{plain(group.tokens)}</span>
              </span>
              <span className="hidden-text"> tokens, {plain(group.tools.length)} tools</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="legend small faint">
        <span>Area: tokens. Shade: calls.</span>
        {STEPS.map(([least, label], shade) => (
          <span key={least}>
            <i className={`swatch shade-${shade}`} /> {label}
          </span>
        ))}
      </p>
    </>
  );
}

function isRoomy({ x0, y0, x1, y1 }: Place['box']): boolean {
  return x1 - x0 > 90 && y1 - y0 > 36;
}

function layOut(groups: readonly ServerGroup[]): readonly Place[] {
  const shown = groups.filter(({ tokens }) => tokens > 0);
  const root = hierarchy<{ readonly children?: readonly unknown[]; readonly value?: number }>({
    children: shown.map(({ tools }) => ({ children: tools.map(({ tokens, calls }) => ({ value: tokens, calls })) })),
  }).sum(({ value = 0 }) => value);
  const placed = treemap<{ readonly children?: readonly unknown[]; readonly value?: number }>()
    .tile(treemapSquarify)
    .size([WIDTH, HEIGHT])
    .paddingInner((node) => (node.depth === 0 ? 3 : 0.5))(root);
  return (placed.children ?? []).flatMap((node, index) => {
    const group = shown[index];
    if (group === undefined) return [];
    const paths = new Map<number, string>();
    for (const leaf of node.children ?? []) {
      const shade = shadeOf((leaf.data as Leaf).calls);
      const path = `M${round(leaf.x0)} ${round(leaf.y0)}H${round(leaf.x1)}V${round(leaf.y1)}H${round(leaf.x0)}Z`;
      paths.set(shade, (paths.get(shade) ?? '') + path);
    }
    return [{ group, box: node, paths: [...paths] }];
  });
}

function shadeOf(calls: number): number {
  return STEPS.findLastIndex(([least]) => calls >= least);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
