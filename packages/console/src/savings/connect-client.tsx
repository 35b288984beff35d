import { Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';

/** What to paste to put this gateway in front of a model, for each client. */
const CLIENTS: readonly { readonly name: string; readonly lines: (origin: string, key: string) => string }[] = [
  {
    name: 'Claude Code',
    lines: (origin, key) =>
      `export ANTHROPIC_BASE_URL=${origin}\nexport ANTHROPIC_AUTH_TOKEN="${key}"\nexport ENABLE_TOOL_SEARCH=true\nclaude`,
  },
  {
    name: 'Anthropic SDK',
    lines: (origin) =>
      `import Anthropic from '@anthropic-ai/sdk';\nconst client = new Anthropic({ baseURL: '${origin}', apiKey: process.env.QUARTERMASTER_KEY });`,
  },
  {
    name: 'OpenAI SDK',
    lines: (origin) =>
      `import OpenAI from 'openai';\nconst client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.QUARTERMASTER_KEY });`,
  },
  {
    name: 'MCP client',
    lines: (origin, key) =>
      `{ "mcpServers": { "quartermaster": { "type": "http", "url": "${origin}/mcp",\n  "headers": { "authorization": "Bearer ${key}" } } } }`,
  },
  {
    name: 'Python, search only',
    lines: (origin) =>
      `import httpx\nhits = httpx.post("${origin}/v1/catalogs/sample/search", json={"query": "refund a payment"}).json()`,
  },
  { name: 'curl', lines: (origin) => `curl ${origin}/v1/catalogs/sample/search -d '{"query": "refund a payment"}'` },
];

export function ConnectClient({ secret }: { readonly secret: string | undefined }): ReactNode {
  const [chosen, setChosen] = useState(0);
  const [isCopied, setCopied] = useState(false);
  const text = CLIENTS[chosen]?.lines(location.origin, secret ?? '$QUARTERMASTER_KEY') ?? '';
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <section className="section" aria-labelledby="connect-title">
      <h2 id="connect-title">
        Connect a client <span className="faint small">the key is filled in once, right after you create it</span>
      </h2>
      <div className="panel connect">
        <ul>
          {CLIENTS.map(({ name }, index) => (
            <li key={name}>
              <button type="button" aria-pressed={index === chosen} onClick={() => setChosen(index)}>
                {name}
              </button>
            </li>
          ))}
        </ul>
        <div className="connect-code">
          <pre>{text}</pre>
          <button type="button" className="button" onClick={() => void copy()}>
            <Copy size={14} aria-hidden="true" /> {isCopied ? 'Copied' : 'Copy'}
          </button>
        </div>
      </div>
    </section>
  );
}
