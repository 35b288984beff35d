import type { SearchHit as Hit, SearchAnswer } from '@quartermaster/client';
import type { ReactNode } from 'react';
import type { useSaveCase } from '../api/labels.ts';
import { Button } from '../shell/button.tsx';
import { CopyButton } from '../shell/copy-button.tsx';
import { Failure } from '../shell/problem.tsx';
import { child } from '../shell/read-json.ts';
import { ToolParts } from '../shell/tool-name.tsx';
import type { Cases } from './cases.ts';
import { EvaluationTable } from './evaluation.tsx';
import { ENGINE_NAMES } from './result-table.tsx';
import { RunTool } from './run-tool.tsx';
import { Signature } from './signature.tsx';

interface InspectorProps {
  readonly catalog: string;
  readonly isServed: boolean;
  readonly hit: Hit;
  readonly query: string;
  readonly cases: Cases;
  readonly save: ReturnType<typeof useSaveCase>;
  /** The search without the draft, and with it. */
  readonly before: SearchAnswer | undefined;
  readonly after: SearchAnswer;
  readonly draft: string | undefined;
  readonly onDraft: (text: string | undefined) => void;
}

/** The selected tool: its signature, and what a better description would change. */
export function ToolInspector(props: InspectorProps): ReactNode {
  const { catalog, isServed, hit, query, cases, save, before, after, draft, onDraft } = props;
  const stored = before?.results[0]?.hits.find(({ tool }) => tool === hit.tool)?.description;
  const text = stored ?? (draft === undefined ? hit.description : '');
  const isSaved = cases.list.some((one) => one.query === query && one.tools.includes(hit.tool));
  return (
    <section className="inspector-part stack" aria-label={`Tool ${hit.tool}`}>
      <h2>
        <ToolParts server={hit.server} name={hit.name} />
      </h2>
      <p className="chips">
        <Annotations annotations={hit.annotations} />
        <span className="tag">{hit.tokens} tokens</span>
        <span className="tag mono" title="What a model calls it">
          {hit.model_name}
        </span>
        {hit.also === undefined ? null : <span className="tag">also {hit.also.join(', ')}</span>}
      </p>
      <Signature name={hit.name} schema={hit.input_schema} />
      <label htmlFor="draft" className="inspector-title">
        Description {draft === undefined ? null : <span className="tag wait">draft, only in this tab</span>}
      </label>
      <textarea
        id="draft"
        className="draft"
        dir="auto"
        rows={Math.min(8, Math.max(3, Math.ceil(text.length / 44)))}
        value={draft ?? text}
        maxLength={8_000}
        onChange={({ target }) => onDraft(target.value === stored ? undefined : target.value)}
      />
      {draft === undefined ? null : (
        <>
          {stored === undefined ? null : (
            <p className="small faint">
              Now: <s>{stored}</s>
            </p>
          )}
          <Places tool={hit.tool} before={before} after={after} />
        </>
      )}
      <EvaluationTable
        catalog={catalog}
        cases={cases}
        drafts={draft === undefined ? undefined : { [hit.tool]: draft }}
      />
      <Failure look="small" error={save.error} />
      <div className="actions">
        <Button
          look="primary"
          disabled={isSaved || save.isPending}
          onClick={() => save.mutate({ query, tools: [hit.tool] })}
        >
          {isSaved ? 'Saved as a case' : 'Save search as case'}
        </Button>
        <RunTool catalog={catalog} isServed={isServed} hit={hit} query={query} />
        {draft === undefined ? null : (
          <>
            <CopyButton name="Copy new description" text={patch(hit, draft)} />
            <Button look="ghost" onClick={() => onDraft(undefined)}>
              Discard
            </Button>
          </>
        )}
      </div>
    </section>
  );
}

function patch({ tool }: Hit, description: string): string {
  return JSON.stringify({ tool, description }, undefined, 2);
}

/** The hints of a tool's server that are shown, each only where it is true. `isBad` marks a warning. */
const HINTS: readonly (readonly [hint: string, isBad: boolean, word: string])[] = [
  ['destructiveHint', true, 'destructive'],
  ['openWorldHint', false, 'open world'],
  ['readOnlyHint', false, 'read-only'],
];

function Annotations({ annotations }: { readonly annotations: unknown }): ReactNode {
  return HINTS.filter(([hint]) => child(annotations, hint) === true).map(([hint, isBad, word]) => (
    <span key={hint} className={`tag${isBad ? ' bad' : ''}`}>
      {word}
    </span>
  ));
}

/** Where each engine ranks the tool with the stored description, and with the draft. */
function Places(props: {
  readonly tool: string;
  readonly before: SearchAnswer | undefined;
  readonly after: SearchAnswer;
}): ReactNode {
  const { tool, before, after } = props;
  if (before === undefined) return null;
  const engines = [after.engine, ...Object.keys(after.compared ?? {})];
  const moves = engines.map((engine) => {
    const [from, to] = [placeOf(before, engine, tool), placeOf(after, engine, tool)];
    return `${ENGINE_NAMES[engine] ?? engine} ${from === to ? `${to}, as before` : `${from} → ${to}`}`;
  });
  return (
    <p className="small dim" aria-live="polite">
      This search with the draft: <strong>{moves.join('; ')}</strong>
    </p>
  );
}

function placeOf({ engine: own, results, compared = {} }: SearchAnswer, engine: string, tool: string): string {
  const tools: readonly { readonly tool: string }[] = (engine === own ? results[0]?.hits : compared[engine]) ?? [];
  const at = tools.findIndex((one) => one.tool === tool);
  return at < 0 ? `${tools.length}+` : `#${at + 1}`;
}
