import type { ReactNode } from 'react';
import { Button } from '../shell/button.tsx';

/** What the money is computed from: prices of input tokens, which definitions are. */
export function Prices(props: {
  readonly prices: Readonly<Record<string, { readonly input: number; readonly cacheRead?: number }>>;
  /** Models without a price. */
  readonly unpriced: readonly string[];
}): ReactNode {
  const { prices, unpriced } = props;
  return (
    <div className="stack">
      <p className="small dim">
        Dollars for a million tokens, from <code>prices</code> in <code>quartermaster.yaml</code>. Definitions that are
        sent inline on every turn are often read from the provider’s cache: the range goes from that price to the full
        one.
      </p>
      <table className="prices">
        <thead>
          <tr>
            <th>Model</th>
            <th className="right">Input</th>
            <th className="right">From cache</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(prices).map(([model, { input, cacheRead }]) => (
            <tr key={model}>
              <td className="mono">{model}</td>
              <td className="right">${input}</td>
              <td className="right">
                {cacheRead === undefined ? <span className="faint">a tenth</span> : `$${cacheRead}`}
              </td>
            </tr>
          ))}
          {unpriced.map((model) => (
            <tr key={model}>
              <td className="mono">{model}</td>
              <td className="right faint" colSpan={2}>
                no price
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <form method="dialog" className="actions">
        <Button type="submit">Close</Button>
      </form>
    </div>
  );
}
