import type { ReactNode } from 'react';

/** The share of the width left of the line at zero: losses go there. */
const LEFT = 25;

/** A net with its sign: gains to the right of a line, losses to the left of it. */
export function NetBar({ net, most }: { readonly net: number; readonly most: number }): ReactNode {
  const share = Math.min(1, Math.abs(net) / most);
  const style =
    net < 0
      ? { right: `${100 - LEFT}%`, width: `${Math.max(3, LEFT * share)}%` }
      : { left: `${LEFT}%`, width: `${Math.max(2, (100 - LEFT) * share)}%` };
  return (
    <span className="net-bar" aria-hidden="true">
      {net === 0 ? null : <span className={`fall ${net < 0 ? 'loss' : 'gain'}`} style={style} />}
    </span>
  );
}
