import type { CheckedServer, Server } from '@quartermaster/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { CopyButton } from '../shell/copy-button.tsx';
import { plain } from '../shell/numbers.ts';
import { RawText } from '../shell/raw-text.tsx';
import { sentence } from './describe-reason.ts';
import { settingsBlock } from './settings-block.ts';
import { STATES } from './tool-table.tsx';

const EXAMPLE = `{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } }`;

/** Takes the block that people have for their client, checks it while they type, and gives back what belongs into the settings. */
export function AddServers({ servers }: { readonly servers: readonly Server[] }): ReactNode {
  const [text, setText] = useState('');
  const pasted = useDeferredValue(text.trim());
  const { data, error } = useQuery({
    queryKey: ['check-servers', pasted],
    queryFn: ({ signal }) => gateway.request('POST /v1/servers/check', { body: { text: pasted }, signal }),
    enabled: pasted !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  const checked = pasted === '' ? undefined : data;
  const good = checked?.data.filter(({ problems, is_off: isOff }) => problems.length === 0 && !isOff) ?? [];
  const block = settingsBlock(good);
  return (
    <div className="stack">
      <label htmlFor="pasted-servers">
        Paste the <code>mcpServers</code> block of your client.
      </label>
      <textarea
        id="pasted-servers"
        className="draft mono"
        rows={7}
        spellCheck={false}
        autoComplete="off"
        placeholder={EXAMPLE}
        maxLength={262_144}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div aria-live="polite" className="stack">
        {error === null ? null : <p className="problem small">{error.message}</p>}
        {checked?.problem === undefined ? null : (
          <p className="problem small">
            {checked.line === undefined ? '' : `Line ${checked.line}: `}
            {checked.problem}.
          </p>
        )}
        <ul className="checked">
          {checked?.data.map((server) => (
            <Checked key={server.name} server={server} now={servers.find(({ name }) => name === server.name)} />
          ))}
        </ul>
      </div>
      {good.length === 0 ? (
        <p className="small faint">
          JSON, YAML and TOML of Claude, Cursor, VS Code, Zed, Codex and others are read. Nothing is started or stored
          by pasting it.
        </p>
      ) : (
        <>
          <p className="small">
            Put this into <code>quartermaster.yaml</code>. A gateway that has MCP servers reads the file again within a
            second, and their states appear above; one that has none needs a restart.
          </p>
          <RawText label="Lines for the settings">{block}</RawText>
          <div className="actions">
            <CopyButton key={block} text={block} />
          </div>
        </>
      )}
    </div>
  );
}

function Checked({ server, now }: { readonly server: CheckedServer; readonly now: Server | undefined }): ReactNode {
  const { name, transport, problems, notes, is_off: isOff } = server;
  const isBad = problems.length > 0;
  const [shape, word] = now === undefined ? ['ring', ''] : STATES[now.state];
  return (
    <li>
      <p className="state">
        {now === undefined || isBad ? null : <i className={shape} aria-hidden="true" />}
        <strong>{name}</strong> <span className="faint">{transport === 'stdio' ? 'a program' : 'on the network'}</span>
        {isBad ? (
          <span className="tag bad">can’t be used</span>
        ) : now !== undefined ? (
          <span className="dim">
            {word}, {plain(now.tools)} tools
          </span>
        ) : isOff ? (
          <span className="tag">turned off</span>
        ) : (
          <span className="tag ok">can be added</span>
        )}
      </p>
      {[...problems, ...notes].map((note) => (
        <p key={note} className="small dim">
          {sentence(note)}
        </p>
      ))}
    </li>
  );
}
