import type { DefinitionChange, Server, ToolFacts } from '@quartermaster/client';
import { useMutation } from '@tanstack/react-query';
import { Lock, TriangleAlert } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { useRefresh } from '../api/use-refresh.ts';
import { Button } from '../shell/button.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { plain } from '../shell/numbers.ts';
import { Failure } from '../shell/problem.tsx';
import { ToolName } from '../shell/tool-name.tsx';
import { DefinitionDiff } from './definition-diff.tsx';
import { sentence } from './describe-reason.ts';
import { countWaiting } from './use-servers.ts';

/** The gravest; a link leads to all of them. */
const MOST_FINDINGS = 6;

/** Decisions that only a person can make, and below them what is worth a look. */
export function Waiting(props: {
  /** Whether decisions come before the list on phones. */
  readonly isFirst: boolean;
  readonly servers: readonly Server[];
  readonly tools: readonly ToolFacts[];
  readonly mayManage: boolean;
  readonly onTool: (tool: ToolFacts) => void;
  /** The tool whose diff is open in its dialog. */
  readonly shown: string | undefined;
  readonly onDiff: (tool: string | undefined) => void;
  readonly onAll: () => void;
}): ReactNode {
  const { isFirst, servers, tools, mayManage, onTool, shown, onDiff, onAll } = props;
  const changes = servers.flatMap((server) => server.changes);
  const count = countWaiting(servers);
  const { worst: findings, count: findingCount } = useMemo(() => worstFindings(tools), [tools]);
  return (
    <aside className={`panel waiting${count > 0 && isFirst ? ' first' : ''}`} aria-label="Waiting for you">
      <div className="waiting-part head">
        <h2>
          Waiting for you <span className="faint small">{count}</span>
        </h2>
        {count === 0 ? <p className="faint">No definition changed, and no server asks for a sign-in.</p> : null}
      </div>
      {changes.map((change) => (
        <Change
          key={change.tool}
          change={change}
          mayManage={mayManage}
          isOpen={change.tool === shown}
          onOpen={(isOpen) => onDiff(isOpen ? change.tool : undefined)}
        />
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
              <button type="button" className="unfold" onClick={() => onTool(tool)}>
                <ToolName id={tool.tool} />
              </button>
              <span className={`tag${finding.kind === 'trust' ? ' bad' : ''}`}>
                {finding.kind === 'trust' ? 'trust' : finding.rule.replaceAll('-', ' ')}
              </span>
              <p className="small dim">{sentence(finding.message)}</p>
            </li>
          ))}
        </ul>
        {findingCount > findings.length ? (
          <button type="button" className="link small" onClick={onAll}>
            All {plain(findingCount)} findings
          </button>
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

function Change(props: {
  readonly change: DefinitionChange;
  readonly mayManage: boolean;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}): ReactNode {
  const { change, mayManage, isOpen, onOpen } = props;
  const { tool, held, is_new: isNew, tokens, findings } = change;
  return (
    <section className="waiting-part stack" aria-label={`Change of ${tool}`}>
      <h3>
        <ToolName id={tool} /> <span className={`tag ${held ? 'bad' : 'wait'}`}>{held ? 'held back' : 'in use'}</span>
      </h3>
      <p className="small dim">
        {isNew ? 'A new tool that has not been accepted.' : 'Its definition is not the one that was accepted.'}{' '}
        <span className="whole">
          Tokens {tokens.before === null ? '' : `${plain(tokens.before)} → `}
          {plain(tokens.after)}.
        </span>
      </p>
      <DefinitionDiff change={change} />
      <Trust findings={findings} />
      <div className="actions">
        {mayManage ? <Button onClick={() => onOpen(true)}>Accept change…</Button> : null}
        <Button look="ghost" onClick={() => onOpen(true)}>
          Full diff
        </Button>
      </div>
      <Dialog title={`Change of ${tool}`} isWide isOpen={isOpen} onClose={() => (isOpen ? onOpen(false) : undefined)}>
        <Decision change={change} mayManage={mayManage} onClose={() => onOpen(false)} />
      </Dialog>
    </section>
  );
}

/** The whole diff, and what to do about it. A change that comes while it is open has to be read before it can be accepted. */
function Decision(props: {
  readonly change: DefinitionChange;
  readonly mayManage: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const { change, mayManage, onClose } = props;
  const [read, setRead] = useState(change);
  const refresh = useRefresh();
  const accept = useMutation({
    mutationFn: () => gateway.request('POST /v1/approvals', { body: { tool: read.tool, hash: read.hash } }),
    onSettled: () => refresh('servers', 'tools'),
    onSuccess: onClose,
  });
  const isStale = read.hash !== change.hash;
  const isSuspicious = read.findings.length > 0;
  return (
    <>
      <DefinitionDiff change={read} isWhole />
      <Trust findings={read.findings} />
      <Failure error={accept.error} />
      {isStale ? (
        <p className="problem" role="alert">
          It has changed again while this was open. Reload the diff before you decide.
        </p>
      ) : null}
      <div className="actions">
        <Button look={isSuspicious && mayManage && !isStale ? 'primary' : ''} onClick={onClose}>
          {!mayManage ? 'Close' : read.held ? 'Keep held back' : 'Not now'}
        </Button>
        {isStale ? (
          <Button look="primary" onClick={() => setRead(change)}>
            Reload the diff
          </Button>
        ) : null}
        {mayManage && !isStale ? (
          <Button look={isSuspicious ? '' : 'primary'} disabled={accept.isPending} onClick={() => accept.mutate()}>
            Accept change
          </Button>
        ) : null}
      </div>
    </>
  );
}

/** What the trust check has found in a definition. */
function Trust({ findings }: Pick<DefinitionChange, 'findings'>): ReactNode {
  return findings.map(({ rule, message }) => (
    <div key={`${rule} ${message}`} className="trust">
      <TriangleAlert size={15} aria-hidden="true" />
      <p className="small">{message}</p>
      <span className="tag bad">trust</span>
    </div>
  ));
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
      <p className="small dim">
        {server.tools > 0
          ? `${plain(server.tools)} tools stay searchable; calls fail until you sign in.`
          : 'Its tools are listed once you have signed in.'}
      </p>
      <Failure look="small" error={begin.error} />
      <div className="actions">
        <Button disabled={begin.isPending} onClick={() => begin.mutate()}>
          <Lock size={13} aria-hidden="true" /> Sign in to {server.name}
        </Button>
      </div>
    </section>
  );
}
