import type { DefinitionChange, Server, ToolFacts } from '@quartermaster/client';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { Pin } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { gateway } from '../api/gateway.ts';
import { useRefresh } from '../api/use-refresh.ts';
import { Button } from '../shell/button.tsx';
import { plain } from '../shell/numbers.ts';
import { COVERED_PX, showRow } from '../shell/show-row.ts';
import { ToolName, ToolParts } from '../shell/tool-name.tsx';
import { useListTop } from '../shell/use-list-top.ts';
import { describeReason, sentence } from './describe-reason.ts';
import type { Row, ServerGroup } from './server-groups.ts';
import type { Sort } from './servers-state.ts';
import { useCountdown } from './use-countdown.ts';
import type { Policy, PolicyChange } from './use-servers.ts';

/** As the style has it: a row of another height moves all that follow. */
const ROW_HEIGHT = 40;

interface TableProps {
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly rows: readonly Row[];
  readonly catalog: string;
  readonly isFiltered: boolean;
  /** Whether there are only tools, no servers. */
  readonly isFlat: boolean;
  readonly open: { readonly server: string | undefined; readonly tool: string | undefined };
  /** The key of the row to scroll to. A click in the table moves nothing; what points to a row from elsewhere does. */
  readonly target: string | undefined;
  readonly onShown: () => void;
  /** Whether any of the servers is a configured one, which has a state. */
  readonly hasStates: boolean;
  readonly mostTokens: number;
  readonly mayManage: boolean;
  readonly onServer: (server: string) => void;
  readonly onTool: (tool: string) => void;
  readonly onPolicy: (change: PolicyChange, before: Policy | 'mixed') => void;
  readonly onDiff: (change: DefinitionChange) => void;
}

/** Servers and tools, only those in view as elements: a catalog of ten thousand tools scrolls like one of ten. */
export function ToolTable(props: TableProps): ReactNode {
  const { rows, isFlat, target, onShown } = props;
  const list = useRef<HTMLUListElement>(null);
  const top = useListTop(list);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 4,
    scrollMargin: top ?? 0,
    scrollPaddingStart: COVERED_PX,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  const isPlaced = top !== undefined;
  const targetAt = target === undefined ? -1 : rows.findIndex(({ key }) => key === target);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same row is gone to once
  useEffect(() => {
    if (targetAt < 0 || !isPlaced) return;
    showRow(virtual, { index: targetAt });
    onShown();
  }, [targetAt, isPlaced, virtual]);
  return (
    <section className={`panel tool-table${isFlat ? ' flat' : ''}`} aria-label="Servers and tools">
      <div className="tool-row head">
        {HEADS.map(([title, sort]) => (
          <span key={title} className={RIGHT.has(title) ? 'right' : undefined}>
            {sort === undefined ? (
              headOf(title, props)
            ) : (
              <button type="button" aria-pressed={sort === props.sort} onClick={() => props.onSort(sort)}>
                {title}
                <span aria-hidden="true">{sort === props.sort ? (sort === 'name' ? ' ↑' : ' ↓') : ''}</span>
              </button>
            )}
          </span>
        ))}
      </div>
      {rows.length > 0 ? null : (
        <p className="tool-none">
          {props.isFiltered ? 'No server or tool matches this filter.' : 'This catalog has no tools.'}
        </p>
      )}
      <ul ref={list} id="tool-rows" className="tool-rows" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <li
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className="tool-slot"
              style={{ transform: `translateY(${item.start - virtual.options.scrollMargin}px)` }}
            >
              <TableRow row={row} {...props} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function TableRow({ row, ...props }: TableProps & { readonly row: Row }): ReactNode {
  switch (row.kind) {
    case 'server':
      return <ServerRow group={row.group} {...props} />;
    case 'tool':
      return <ToolRow row={row} {...props} />;
    case 'held':
      return <HeldRow change={row.change} isAlone={row.isAlone} {...props} />;
  }
}

/** The columns, and what a click on a head sorts by. */
const HEADS: readonly (readonly [title: string, sort?: Sort])[] = [
  ['Name', 'name'],
  ['State'],
  ['Tools'],
  ['Tokens', 'tokens'],
  ['Calls', 'calls'],
  ['Hold back'],
  ['Findings', 'findings'],
];

const RIGHT = new Set(['Tools', 'Calls']);

/** Tools have no state, but a button in its column. */
function headOf(title: string, { isFlat, hasStates, mayManage }: TableProps): string {
  if (title !== 'State') return title;
  if (isFlat) return mayManage ? 'Pin' : '';
  return hasStates ? title : '';
}

export const STATES: Readonly<Record<Server['state'], readonly [shape: string, word: string]>> = {
  ready: ['dot', 'Ready'],
  idle: ['ring', 'Idle'],
  connecting: ['ring', 'Connecting'],
  'sign-in': ['square', 'Sign in'],
  down: ['diamond', 'Unreachable'],
};

function ServerRow(props: TableProps & { readonly group: ServerGroup }): ReactNode {
  const { group, open, mostTokens, mayManage, onServer, onPolicy } = props;
  const { name, server, tools, tokens, calls, policy, lint, trust } = group;
  const isOpen = open.server === name;
  const pins = tools.filter((tool) => tool.policy === 'never').length;
  return (
    <div className={`tool-row${isOpen ? ' open' : ''}`} data-server={name}>
      <span className="row-head">
        <span className="name">
          <button
            type="button"
            className="unfold"
            data-row-button=""
            aria-expanded={isOpen}
            aria-controls="tool-rows"
            onClick={() => onServer(name)}
          >
            <bdi>{name === '' ? 'no server' : name}</bdi>
          </button>
          {pins > 0 && policy !== 'never' ? (
            <span className="tag">
              <Pin size={11} aria-hidden="true" /> {pins} {pins === 1 ? 'pin' : 'pins'}
            </span>
          ) : null}
        </span>
        <span>{server === undefined ? null : <State server={server} {...props} />}</span>
      </span>
      <span className="row-figures">
        <span className="right dim tool-count">
          {plain(tools.length)} <span className="hidden-text">tools</span>
        </span>
        <Tokens tokens={tokens} most={mostTokens} />
        <span className="right dim calls">
          {calls === 0 ? 'never' : plain(calls)} <span className="hidden-text">called</span>
        </span>
        <span className="policy-cell">
          <PolicySelect
            label={`Hold back ${name}`}
            policy={policy}
            isFixed={!mayManage || name === ''}
            onChange={(next) => onPolicy({ kind: 'server', name, policy: next }, policy)}
          />
        </span>
        <span className="tags">
          {trust > 0 ? <span className="tag bad">{trust} trust</span> : null}
          {lint > 0 ? <span className="tag">{lint} lint</span> : null}
        </span>
      </span>
    </div>
  );
}

function State({ server, mayManage }: { readonly server: Server; readonly mayManage: boolean }): ReactNode {
  const refresh = useRefresh();
  const retry = useMutation({
    mutationFn: () => gateway.request('POST /v1/servers/{name}/retry', { path: { name: server.name } }),
    onSettled: () => refresh('servers'),
  });
  const retryInMs = useCountdown(server);
  const [shape, word] = STATES[server.state];
  return (
    <>
      <span className="state">
        <i className={shape} aria-hidden="true" /> {word}
        {server.state === 'down' && mayManage ? (
          <Button look="ghost tiny" disabled={retry.isPending} onClick={() => retry.mutate()}>
            Retry now<span className="hidden-text"> {server.name}</span>
          </Button>
        ) : null}
      </span>
      {server.reason === undefined || server.state === 'sign-in' ? null : (
        <span className="faint small reason" title={server.reason}>
          {describeReason(server, retryInMs)}
        </span>
      )}
    </>
  );
}

/** A tool that models don't get before a person has looked at its new definition. */
function HeldRow(props: TableProps & { readonly change: DefinitionChange; readonly isAlone: boolean }): ReactNode {
  const { change, isAlone, mostTokens, onDiff } = props;
  const { tool, server, tokens, findings } = change;
  return (
    <div className={`tool-row held${isAlone ? '' : ' inner'}`} data-tool={tool}>
      <span className="row-head">
        <span className="name mono">{isAlone ? <ToolName id={tool} /> : tool.slice(server.length + 1)}</span>
        <span>
          <Button look="tiny" onClick={() => onDiff(change)}>
            Full diff
          </Button>
        </span>
      </span>
      <span className="row-figures">
        <span className="tool-count" />
        <Tokens tokens={tokens.after} most={mostTokens} />
        <span className="right dim calls">–</span>
        <span className="tag bad">held back</span>
        <span className="tags">
          {findings.length > 0 ? <span className="tag bad">{findings.length} trust</span> : null}
        </span>
      </span>
    </div>
  );
}

function ToolRow(props: TableProps & { readonly row: Extract<Row, { kind: 'tool' }> }): ReactNode {
  const { row, catalog, open, mostTokens, mayManage, onTool, onPolicy } = props;
  const { tool, isAlone } = row;
  const isOpen = open.tool === tool.tool;
  const isPinned = tool.policy === 'never';
  const set = (policy: Policy | null): void => onPolicy({ kind: 'tool', name: tool.tool, policy }, tool.policy);
  return (
    <>
      <div className={`tool-row${isAlone ? '' : ' inner'}${isOpen ? ' open' : ''}`} data-tool={tool.tool}>
        <span className="row-head">
          <span className="name">
            <button
              type="button"
              className="unfold mono"
              data-row-button=""
              aria-expanded={isOpen}
              aria-controls={detailIdOf(tool)}
              onClick={() => onTool(tool.tool)}
            >
              {isAlone ? <ToolName id={tool.tool} /> : <ToolParts name={tool.name} />}
            </button>
          </span>
          <span>
            {mayManage ? (
              <Button
                look={`ghost tiny${isPinned ? ' pinned' : ''}`}
                aria-pressed={isPinned}
                aria-label={`Pin ${tool.tool}`}
                title="Always send this tool in full"
                onClick={() => set(isPinned ? null : 'never')}
              >
                <Pin size={12} aria-hidden="true" /> Pin
              </Button>
            ) : null}
          </span>
        </span>
        <span className="row-figures">
          <span className="tool-count" />
          <Tokens tokens={tool.tokens} most={mostTokens} />
          <span className="right dim calls">
            {tool.calls === 0 ? 'never' : plain(tool.calls)} <span className="hidden-text">called</span>
          </span>
          <span className="policy-cell">
            <PolicySelect label={`Hold back ${tool.tool}`} policy={tool.policy} isFixed={!mayManage} onChange={set} />
          </span>
          <span className="tags">
            <FindingTags tool={tool} />
          </span>
        </span>
      </div>
      {isOpen ? <ToolDetail tool={tool} catalog={catalog} /> : null}
    </>
  );
}

/** An id has no spaces; a tool's name may. */
function detailIdOf({ tool }: ToolFacts): string {
  return `tool-${encodeURIComponent(tool)}`;
}

function FindingTags({ tool }: { readonly tool: ToolFacts }): ReactNode {
  const count = (kind: string): number => tool.findings.filter((finding) => finding.kind === kind).length;
  const [trust, lint] = [count('trust'), count('lint')];
  return (
    <>
      {trust > 0 ? <span className="tag bad">{trust} trust</span> : null}
      {lint > 0 ? <span className="tag">{lint} lint</span> : null}
    </>
  );
}

function ToolDetail({ tool, catalog }: { readonly tool: ToolFacts; readonly catalog: string }): ReactNode {
  return (
    <div className="tool-detail stack" id={detailIdOf(tool)}>
      <p dir="auto">
        {tool.description === '' ? <span className="faint">It has no description.</span> : tool.description}
      </p>
      <p className="faint small">
        A model calls it <code>{tool.model_name}</code>
      </p>
      <ul className="findings">
        {tool.findings.map((finding) => (
          <li key={`${finding.rule} ${finding.message}`}>
            <span className={finding.kind === 'trust' ? 'tag bad' : 'tag'}>
              {finding.kind}: {finding.rule}
            </span>
            <p className="small">{sentence(finding.message)}</p>
            {finding.suggestion === undefined ? null : <p className="small dim">{finding.suggestion}</p>}
          </li>
        ))}
      </ul>
      <div className="actions">
        <Link
          to="/playground"
          search={{ catalog, q: tool.description.slice(0, 120), tool: tool.tool }}
          className="button"
        >
          Open in playground
        </Link>
      </div>
    </div>
  );
}

function Tokens({ tokens, most }: { readonly tokens: number; readonly most: number }): ReactNode {
  return (
    <span className="tokens">
      <span className="share" aria-hidden="true">
        <i style={{ width: `${Math.min(100, (100 * tokens) / Math.max(most, 1))}%` }} />
      </span>
      {plain(tokens)} <span className="hidden-text">tokens</span>
    </span>
  );
}

const POLICY_WORDS: Readonly<Record<Policy, string>> = { automatic: 'auto', never: 'never', always: 'always' };

function PolicySelect(props: {
  readonly label: string;
  readonly policy: Policy | 'mixed';
  readonly isFixed: boolean;
  readonly onChange: (policy: Policy | null) => void;
}): ReactNode {
  const { label, policy, isFixed, onChange } = props;
  const word = policy === 'mixed' ? 'mixed' : POLICY_WORDS[policy];
  if (isFixed) return <span className={policy === 'automatic' ? 'faint' : ''}>{word}</span>;
  return (
    <select
      className={`policy${policy === 'automatic' ? ' faint' : ''}`}
      aria-label={label}
      value={policy}
      onChange={({ target }) => onChange(target.value === 'settings' ? null : (target.value as Policy))}
    >
      {policy === 'mixed' ? <option value="mixed">mixed</option> : null}
      <option value="automatic">auto</option>
      <option value="never">never</option>
      <option value="always">always</option>
      <option value="settings">as in the settings</option>
    </select>
  );
}
