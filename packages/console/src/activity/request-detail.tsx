import type { RequestRecord, SearchRecord } from '@quartermaster/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LabelButtons } from '../shell/label-dialog.tsx';
import { plain, seconds, share, signed } from '../shell/numbers.ts';
import { RawText } from '../shell/raw-text.tsx';
import { ToolName } from '../shell/tool-name.tsx';
import { DECISIONS, type DetailView, formName } from './activity-state.ts';
import { TimeStrip } from './time-strip.tsx';
import { toolIds } from './tool-ids.ts';
import { Waterfall } from './waterfall.tsx';
import { WireView } from './wire-view.tsx';

interface DetailProps {
  readonly record: RequestRecord;
  readonly show: DetailView | undefined;
  readonly onShow: (show: DetailView | undefined) => void;
}

/** One request whole: decision, queries, what was found, loaded and called, and what it cost. */
export function RequestDetail({ record, show, onShow }: DetailProps): ReactNode {
  const { id, status, error, decision, reason, form, searches, tokens, steps } = record;
  const isFailed = status >= 400 || error !== undefined;
  return (
    <div className="request-detail" id={`detail-${id}`}>
      <div>
        <ol className="steps">
          {isFailed ? (
            <li>
              <Head name="Failed" note={status < 400 ? 'after the answer had begun' : `status ${status}`} />
              <p className="loss">{error === undefined ? 'The client got an error.' : errorText(error)}</p>
            </li>
          ) : null}
          {decision === undefined ? null : (
            <li>
              <Head name="Decision" note={form === undefined ? '' : `form ${formName(form)}`} />
              <p>
                Tools were <strong>{DECISIONS[decision]}</strong>: {reason}
              </p>
            </li>
          )}
          {searches.map((search, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the searches of an answered request never change
            <SearchStep key={index} search={search} called={record.called} />
          ))}
          {/* A request that failed before tools were planned has none. */}
          {isFailed && decision === undefined ? null : (
            <>
              <LoadedStep record={record} />
              <CalledStep record={record} />
            </>
          )}
          {tokens === undefined ? null : (
            <li>
              <Head name="Net" note="against everything inline" />
              <p className="dim">
                <strong className={tokens.net < 0 ? 'loss' : 'gain'}>{signed(tokens.net)} tokens</strong>,{' '}
                {share(tokens.net / Math.max(1, tokens.definitions))} of what inline definitions would have cost
              </p>
            </li>
          )}
        </ol>
        <Actions record={record} show={show} onShow={onShow} />
      </div>
      <div className="stack detail-figures">
        {tokens === undefined ? (
          <p className="faint">
            {isFailed
              ? 'The request failed, so there is nothing to weigh.'
              : 'No tool was held back in this request, so there is nothing to weigh.'}
          </p>
        ) : (
          <Waterfall tokens={tokens} />
        )}
        {steps.length === 0 ? null : <TimeStrip record={record} />}
      </div>
      {show === undefined ? null : (
        <div className="detail-wire">
          {show === 'record' ? <RawText label="Record">{JSON.stringify(record, undefined, 2)}</RawText> : null}
          {show === 'model' || show === 'wire' ? <WireView id={id} show={show} /> : null}
        </div>
      )}
    </div>
  );
}

const VIEWS = [
  ['model', 'What the model saw'],
  ['wire', 'Raw wire'],
  ['record', 'Record'],
] as const;

function Actions({ record, show, onShow }: DetailProps): ReactNode {
  const search = record.searches.find(({ queries = [] }) => queries.length > 0);
  const query = search?.queries?.[0];
  const [catalog, ...others] = record.catalogs ?? [];
  const idOf = toolIds(record);
  // What was called is most likely what was looked for.
  const tools = [...new Set([...record.called.map(idOf), ...(search?.tools ?? [])])];
  return (
    <div className="actions">
      {query === undefined || catalog === undefined || others.length > 0 ? null : (
        <LabelButtons query={query} catalog={catalog} tools={tools} withHint={false} />
      )}
      {query === undefined ? null : (
        <Link to="/playground" search={{ q: query, ...(catalog === undefined ? {} : { catalog }) }} className="button">
          Open in playground
        </Link>
      )}
      {(record.rounds > 0 ? VIEWS : VIEWS.slice(-1)).map(([view, name]) => (
        <button
          key={view}
          type="button"
          className="button ghost"
          aria-expanded={show === view}
          onClick={() => onShow(show === view ? undefined : view)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function Head({ name, note }: { readonly name: string; readonly note: string }): ReactNode {
  return (
    <div className="step-head">
      <h2>{name}</h2> <span className="faint small">{note}</span>
    </div>
  );
}

function SearchStep({
  search,
  called,
}: {
  readonly search: SearchRecord;
  readonly called: readonly string[];
}): ReactNode {
  const { queries, queryCount, outcome, engine, reranker, confidence, found, tools, scores, reasons, tookMs } = search;
  const most = Math.max(...scores, 0.001);
  const how = [engine, reranker === undefined ? undefined : `reranker ${reranker}`];
  const result = [
    outcome === 'none' ? 'no match' : outcome,
    confidence === undefined ? undefined : `confidence ${confidence.toFixed(2)}`,
    seconds(tookMs),
  ];
  return (
    <>
      <li>
        <Head name="Query" note={how.filter((part) => part !== undefined).join(', ')} />
        {queries === undefined ? (
          <p className="faint">
            {queryCount === 1 ? 'Query' : `${queryCount} queries`} not stored. <code>insight: queries</code> in the
            settings stores it.
          </p>
        ) : (
          <p className="quote" dir="auto">
            {queries.map((query) => `“${query}”`).join(', ')}
          </p>
        )}
      </li>
      <li>
        <Head name="Found" note={result.filter((part) => part !== undefined).join(', ')} />
        {found.length === 0 ? <p className="dim">No tool fits.</p> : null}
        <ol className="found">
          {found.map((name, index) => (
            <li key={name}>
              <span className="faint">{index + 1}</span>
              <span>
                <ToolName id={tools[index] ?? name} />{' '}
                {called.includes(name) || called.includes(tools[index] ?? name) ? (
                  <span className="tag ok">called</span>
                ) : null}
              </span>
              <span className="found-bar" aria-hidden="true">
                <span className="bar q1" style={{ width: `${(100 * (scores[index] ?? 0)) / most}%` }} />
              </span>
              <span className="right">{scores[index]?.toFixed(2)}</span>
              {(reasons?.[index] ?? '') === '' ? null : <span className="why">{quoted(reasons?.[index] ?? '')}</span>}
            </li>
          ))}
        </ol>
      </li>
    </>
  );
}

/** `rate_limit_error` as `rate limit error`. */
function errorText(type: string): string {
  return `The client got ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type.replaceAll('_', ' ')}.`;
}

/** With the quotation marks of a text. */
function quoted(reason: string): string {
  return reason.replace(/"([^"]*)"/g, '“$1”');
}

function LoadedStep({ record: { loaded, called } }: { readonly record: RequestRecord }): ReactNode {
  const tokens = loaded.reduce((sum, { tokens: cost }) => sum + cost, 0);
  const largest = loaded.toSorted((left, right) => right.tokens - left.tokens)[0];
  const unused = loaded.filter(({ tool, name }) => !called.includes(name) && !called.includes(tool)).length;
  const count = `${loaded.length} ${loaded.length === 1 ? 'tool' : 'tools'}`;
  return (
    <li>
      <Head name="Loaded" note={`${count}, ${plain(tokens)} tokens`} />
      {largest === undefined ? null : (
        <p className="small dim">
          {loaded.length === 1 ? null : (
            <>
              {plain(largest.tokens)} of them <code>{largest.tool}</code>.{' '}
            </>
          )}
          {unused === 0 ? 'Each was called.' : `${unused} of ${loaded.length} not called in this response.`}
        </p>
      )}
    </li>
  );
}

function CalledStep({ record }: { readonly record: RequestRecord }): ReactNode {
  const { called, refused, rounds, steps } = record;
  const idOf = toolIds(record);
  const made = steps.filter(({ kind }) => kind === 'call');
  return (
    <li>
      <Head name="Called" note={rounds === 0 ? '' : `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`} />
      {called.length === 0 ? <p className="dim">nothing</p> : null}
      {called.map((name, index) => {
        const step = made.find(({ tool }) => tool === name);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the calls of an answered request never change
          <p key={index} className="small">
            <ToolName id={idOf(name)} />{' '}
            {step === undefined ? null : (
              <span className="faint">
                {step.isError === true ? 'failed' : 'ok'}, {seconds(step.tookMs)}
              </span>
            )}
          </p>
        );
      })}
      {refused.map(({ tool, reason: why }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the refusals of an answered request never change
        <p key={index} className="loss small">
          Refused{tool === undefined ? '' : ` ${tool}`}: {why}
        </p>
      ))}
    </li>
  );
}
