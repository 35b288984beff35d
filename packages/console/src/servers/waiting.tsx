import type { DefinitionChange, Server, ToolFacts } from '@quartermaster/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { Dialog } from '../shell/dialog.tsx';
import { plain } from '../shell/numbers.ts';
import { DefinitionDiff } from './definition-diff.tsx';
import { countWaiting } from './use-servers.ts';

const MOST_FINDINGS = 12;

/** Decisions that only a person can make, and below them what is worth a look. */
export function Waiting(props: {
  readonly servers: readonly Server[];
  readonly tools: readonly ToolFacts[];
  readonly mayManage: boolean;
  readonly onTool: (tool: ToolFacts) => void;
}): ReactNode {
  const { servers, tools, mayManage, onTool } = props;
  const changes = servers.flatMap((server) => server.changes);
  const count = countWaiting(servers);
  const { worst: findings, count: findingCount } = useMemo(() => worstFindings(tools), [tools]);
  return (
    <aside className="panel waiting" aria-label="Waiting for you">
      <div className="waiting-part">
        <h2>
          Waiting for you <span className="faint small">{count}</span>
        </h2>
        {count === 0 ? <p className="faint">No definition changed, and no server asks for a sign-in.</p> : null}
      </div>
      {changes.map((change) => (
        <Change key={`${change.tool} ${change.hash}`} change={change} mayManage={mayManage} />
      ))}
      {servers
        .filter(({ state }) => state === 'sign-in')
        .map((server) => (
          <SignIn key={server.name} server={server} />
        ))}
      <div className="waiting-part">
        <h2>
          Findings <span className="faint small">{plain(findingCount)}</span>
        </h2>
        {findings.length === 0 ? <p className="faint">The linter and the trust check found nothing.</p> : null}
        <ul className="findings">
          {findings.map(({ tool, finding }) => (
            <li key={`${tool.tool} ${finding.rule} ${finding.message}`}>
              <button type="button" className="unfold mono" onClick={() => onTool(tool)}>
                {tool.tool}
              </button>
              <span className={`tag ${finding.kind === 'trust' ? 'bad' : 'wait'}`}>{finding.kind}</span>
              <p className="small dim">{finding.message}</p>
            </li>
          ))}
        </ul>
        {findingCount > findings.length ? (
          <p className="faint small">and {plain(findingCount - findings.length)} more, beside their tools</p>
        ) : null}
      </div>
    </aside>
  );
}

interface ToolFinding {
  readonly tool: ToolFacts;
  readonly finding: ToolFacts['findings'][number];
}

/** The first few of the gravest, without sorting the many thousand that a large catalog has. */
function worstFindings(tools: readonly ToolFacts[]): {
  readonly worst: readonly ToolFinding[];
  readonly count: number;
} {
  const byWeight: ToolFinding[][] = [[], [], [], []];
  let count = 0;
  for (const tool of tools) {
    for (const finding of tool.findings) {
      count += 1;
      const same = byWeight[weightOf(finding)];
      if (same !== undefined && same.length < MOST_FINDINGS) same.push({ tool, finding });
    }
  }
  return { worst: byWeight.flat().slice(0, MOST_FINDINGS), count };
}

function weightOf({ kind, level }: ToolFacts['findings'][number]): number {
  return (kind === 'trust' ? 0 : 2) + (level === 'error' ? 0 : 1);
}

function Change({ change, mayManage }: { readonly change: DefinitionChange; readonly mayManage: boolean }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const accept = useMutation({
    mutationFn: () => gateway.request('POST /v1/approvals', { body: { tool: change.tool, hash: change.hash } }),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['servers'] }),
        queries.invalidateQueries({ queryKey: ['tools'] }),
      ]),
    onSuccess: () => setOpen(false),
  });
  const { tool, held, is_new: isNew, tokens, findings } = change;
  const isSuspicious = findings.length > 0;
  return (
    <section className="waiting-part stack" aria-label={`Change of ${tool}`}>
      <h3>
        <span className="mono">{tool}</span>{' '}
        <span className={`tag ${held ? 'bad' : 'wait'}`}>{held ? 'held back' : 'in use'}</span>
      </h3>
      <p className="small dim">
        {isNew ? 'A new tool that has not been accepted.' : 'Its definition is not the one that was accepted.'} Tokens{' '}
        {tokens.before === null ? '' : `${plain(tokens.before)} → `}
        {plain(tokens.after)}.
      </p>
      <DefinitionDiff change={change} />
      {findings.map((finding) => (
        <p key={finding.rule} className="small problem">
          {finding.message}
        </p>
      ))}
      {mayManage ? (
        <div className="actions">
          <button type="button" className="button" onClick={() => setOpen(true)}>
            Accept change…
          </button>
        </div>
      ) : null}
      <Dialog title={`Accept the change of ${tool}?`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <DefinitionDiff change={change} />
        {isSuspicious ? <p className="problem">The trust check found something in it. Read it to the end.</p> : null}
        {accept.error === null ? null : (
          <p className="problem" role="alert">
            {accept.error.message}
          </p>
        )}
        <div className="actions">
          <button type="button" className={`button${isSuspicious ? ' primary' : ''}`} onClick={() => setOpen(false)}>
            {held ? 'Keep held back' : 'Not now'}
          </button>
          <button
            type="button"
            className={`button${isSuspicious ? '' : ' primary'}`}
            disabled={accept.isPending}
            onClick={() => accept.mutate()}
          >
            Accept change
          </button>
        </div>
      </Dialog>
    </section>
  );
}

function SignIn({ server }: { readonly server: Server }): ReactNode {
  const begin = useMutation({
    mutationFn: () => gateway.request('POST /v1/sign-ins', { body: { server: server.name } }),
    onSuccess: ({ url }) => void open(url, '_blank', 'noopener'),
  });
  return (
    <section className="waiting-part stack" aria-label={`Sign in to ${server.name}`}>
      <h3>
        {server.name} <span className="tag wait">sign in</span>
      </h3>
      <p className="small dim">{server.reason}</p>
      {begin.error === null ? null : (
        <p className="problem small" role="alert">
          {begin.error.message}
        </p>
      )}
      <div className="actions">
        <button type="button" className="button" disabled={begin.isPending} onClick={() => begin.mutate()}>
          Sign in to {server.name}
        </button>
      </div>
    </section>
  );
}
