import type { SearchHit as Hit } from '@quartermaster/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { askMockModel, callServerTool, MOCK_MODEL, type ToolRun } from '../api/run-tool.ts';
import { Button } from '../shell/button.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Failure } from '../shell/problem.tsx';
import { RawText } from '../shell/raw-text.tsx';
import { isObject, readJson } from '../shell/read-json.ts';
import { exampleArguments } from './example-arguments.ts';

/** Runs what was found: a tool of an MCP server is called for real, the mock model plays one of a stored catalog. */
export function RunTool(props: {
  readonly catalog: string;
  /** Whether its tools are those of configured MCP servers. */
  readonly isServed: boolean;
  readonly hit: Hit;
  readonly query: string;
}): ReactNode {
  const { catalog, isServed, hit, query } = props;
  const [isOpen, setOpen] = useState(false);
  const { data: models } = useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => gateway.request('GET /v1/models', { query: {}, signal }),
    staleTime: Infinity,
    retry: false,
  });
  const hasMock = models?.data.some(({ id }) => id === MOCK_MODEL) === true;
  if (!isServed && !hasMock) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Play size={13} aria-hidden="true" /> Run it…
      </Button>
      <Dialog title={isServed ? `Run ${hit.tool}` : 'Run this search'} isOpen={isOpen} onClose={() => setOpen(false)}>
        {isServed ? <ServerCall hit={hit} /> : <MockRun catalog={catalog} query={query} />}
        <form method="dialog" className="actions">
          <Button type="submit" look="ghost">
            Close
          </Button>
        </form>
      </Dialog>
    </>
  );
}

function ServerCall({ hit }: { readonly hit: Hit }): ReactNode {
  const [text, setText] = useState(() => JSON.stringify(exampleArguments(hit.input_schema), undefined, 2));
  const run = useMutation({ mutationFn: (input: unknown) => callServerTool(hit.model_name, input) });
  const input = readArguments(text);
  return (
    <div className="stack">
      <p className="small dim">
        This calls the tool of the MCP server “{hit.server}” through the gateway. What it does, it does for real.
      </p>
      <label htmlFor="run-arguments">Arguments</label>
      <textarea
        id="run-arguments"
        className="draft mono"
        rows={6}
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {input === undefined ? <p className="problem small">The arguments are not a JSON object.</p> : null}
      <RunButton
        name="Run tool"
        run={run}
        isReady={input !== undefined}
        onRun={() => {
          if (input !== undefined) run.mutate(input);
        }}
      />
    </div>
  );
}

function MockRun({ catalog, query }: { readonly catalog: string; readonly query: string }): ReactNode {
  const run = useMutation({ mutationFn: () => askMockModel(catalog, query) });
  return (
    <div className="stack">
      <p>“{query}”</p>
      <p className="small dim">
        The mock model sends this through the gateway as a client would: it searches, loads what was found and calls a
        tool. The catalog “{catalog}” has no service behind it, so this page answers the call with an example.
      </p>
      <RunButton name="Run with the mock model" run={run} isReady onRun={() => run.mutate()} />
    </div>
  );
}

function RunButton(props: {
  readonly name: string;
  readonly run: { readonly isPending: boolean; readonly error: Error | null; readonly data: ToolRun | undefined };
  readonly isReady: boolean;
  readonly onRun: () => void;
}): ReactNode {
  const { name, run, isReady, onRun } = props;
  return (
    <>
      <Failure look="small" error={run.error} />
      <div className="actions">
        <Button look="primary" disabled={!isReady || run.isPending} onClick={onRun}>
          {run.isPending ? 'Running…' : name}
        </Button>
      </div>
      <div aria-live="polite">{run.data === undefined ? null : <Outcome run={run.data} />}</div>
    </>
  );
}

/** What happened, in the order in which it did, with links to the requests behind it. */
function Outcome({ run }: { readonly run: ToolRun }): ReactNode {
  const { search, call, result, answer, requests } = run;
  return (
    <ol className="run-steps">
      {search === undefined ? null : (
        <li>
          <h3>Searched, and found {search.found.length}</h3>
          <p className="small mono">{search.found.length === 0 ? 'no match' : search.found.join(', ')}</p>
        </li>
      )}
      {call === undefined ? null : (
        <li>
          <h3>
            Called <span className="mono">{call.name}</span>
          </h3>
          <RawText label="Arguments of the call">{JSON.stringify(call.input, undefined, 2)}</RawText>
        </li>
      )}
      {result === undefined ? null : (
        <li>
          <h3>{result.isError ? <span className="loss">Failed</span> : 'Result'}</h3>
          <RawText label="Result">{result.text}</RawText>
        </li>
      )}
      {answer === undefined ? null : (
        <li>
          <h3>Answer of the mock model</h3>
          <p className="small">{answer}</p>
        </li>
      )}
      <li className="small">
        In Activity:{' '}
        {requests.map((id, index) => (
          <span key={id}>
            {index === 0 ? '' : ', '}
            <Link to="/activity/$id" params={{ id }} search={{}}>
              {index === 0 ? 'the request' : 'the one with the result'}
            </Link>
          </span>
        ))}
      </li>
    </ol>
  );
}

function readArguments(text: string): object | undefined {
  const value = readJson(text === '' ? '{}' : text);
  return isObject(value) ? value : undefined;
}
