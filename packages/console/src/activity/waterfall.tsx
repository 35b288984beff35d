import type { TokenAccount } from '@quartermaster/client';
import type { ReactNode } from 'react';
import { plain, signed } from '../shell/numbers.ts';

/** True to scale first, so that our own cost is as small as it is; then that cost by itself, and by how much it is enlarged. */
export function Waterfall({ tokens }: { readonly tokens: TokenAccount }): ReactNode {
  const { definitions, keptOut, added, net } = tokens;
  const whole = Math.max(definitions, definitions - keptOut + added, 1);
  // Definitions that were sent all the same: pinned tools, and those that the request did not defer.
  const sent = Math.max(0, definitions - keptOut) / whole;
  const parts: readonly (readonly [string, number])[] = [
    ['Our tools and note', tokens.ownTools],
    ['Loaded earlier', tokens.carried],
    ['Search answers', tokens.answers],
    ['Repeated rounds', tokens.repeated],
  ];
  const factor = whole / Math.max(added, 1);
  let start = 0;
  return (
    <section aria-label="Tokens of this request">
      <h2>Tokens for this request, against everything inline</h2>
      <dl className="waterfall">
        <Bar label="All tools inline" value={plain(definitions)} from={0} to={definitions / whole} kind="all" />
        <Bar label="Kept out" value={signed(keptOut)} from={sent} to={sent + keptOut / whole} kind="gain" />
        <Bar label="Added by us" value={signed(-added)} from={sent} to={sent + added / whole} kind="loss" />
        <Bar
          label="Net"
          value={signed(net)}
          from={sent + Math.min(added, keptOut) / whole}
          to={sent + Math.max(added, keptOut) / whole}
          kind={net < 0 ? 'loss' : 'gain'}
          isTotal
        />
      </dl>
      <p className="faint small zoom">
        What we added{factor > 1.5 ? `, ${factor.toFixed(factor < 10 ? 1 : 0)} times larger` : ''}
      </p>
      <dl className="waterfall">
        {parts.map(([label, value]) => {
          const from = start;
          start += value;
          return (
            <Bar
              key={label}
              label={label}
              value={signed(-value)}
              from={from / Math.max(added, 1)}
              to={start / Math.max(added, 1)}
              kind="loss"
            />
          );
        })}
        <Bar label="Added by us" value={signed(-added)} from={0} to={1} kind="loss" isTotal />
      </dl>
      <p className="small">
        <strong>Break-even: {plain(tokens.breakEven)} tokens of definitions.</strong>{' '}
        <span className="dim">
          A request like this one loses tokens with a smaller catalog. This one has {plain(definitions)}.
        </span>
      </p>
    </section>
  );
}

function Bar(props: {
  readonly label: string;
  readonly value: string;
  readonly from: number;
  readonly to: number;
  readonly kind: 'all' | 'gain' | 'loss';
  readonly isTotal?: boolean;
}): ReactNode {
  const { label, value, from, to, kind, isTotal = false } = props;
  return (
    <div className={isTotal ? 'total' : ''}>
      <dt>{label}</dt>
      <dd aria-hidden="true">
        {to === from ? null : (
          <span
            className={`fall ${kind}`}
            style={{ marginLeft: `${100 * from}%`, width: `${Math.max(0.4, 100 * (to - from))}%` }}
          />
        )}
      </dd>
      <dd className={`right ${kind === 'all' || to === from ? '' : kind}`}>{value}</dd>
    </div>
  );
}
