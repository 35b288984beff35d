import { note, print } from '../../command-io.ts';
import type { CommandContext, ServerFlags } from '../../commands/index.ts';
import { InputError } from '../../input-error.ts';
import { counted } from '../../terminal/index.ts';
import { loadAnsweredSettings, loadSettings } from '../settings/load-settings.ts';
import { openConfiguredStore } from '../store/open-configured-store.ts';
import { configuredServers, createConfiguredHub, offerSignIn } from './create-configured-hub.ts';
import { renderChange } from './render-change.ts';

/** Shows which definitions differ from their pins, and accepts the current ones that the patterns name. */
export async function acceptDefinitions(
  patterns: readonly string[],
  flags: ServerFlags,
  { io, terminal }: CommandContext,
): Promise<void> {
  const { config: unanswered } = loadSettings(flags, io.env);
  const tell = (text: string): Promise<void> => note(io, text);
  const store = await openConfiguredStore(unanswered.store);
  try {
    const config = await loadAnsweredSettings(flags, io.env, store.tokens);
    const servers = configuredServers(config, (line) => void io.stderr.write(`${line}\n`));
    if (servers === undefined) throw new InputError('There are no MCP servers: name a file with --mcp-config');
    const hub = createConfiguredHub(config, {
      ...{ servers: offerSignIn(servers), store, env: io.env, mcpConfig: flags.mcpConfig },
      ...{ isStrict: true, isLazy: false },
    });
    try {
      await hub.start();
      const heldNow = () => hub.status().flatMap(({ held }) => held);
      const held = heldNow();
      for (const change of held) await print(io, renderChange(change, terminal));
      await hub.accept(patterns);
      const left = new Set(heldNow().map(({ tool }) => tool));
      for (const { tool, hash } of held.filter((change) => !left.has(change.tool))) {
        await store.audit.note({ actor: '', action: 'definition.accept', subject: tool, detail: hash });
      }
      for (const { server, reason } of hub.unavailable()) await tell(`${server}: ${reason}`);
      const counts = `${held.length - left.size} accepted, ${left.size} not accepted`;
      await tell(
        `${counted(held.length, 'changed definition')}, ${counts}${patterns.length > 0 ? '' : adviceFor(left)}`,
      );
    } finally {
      await hub.close();
    }
  } finally {
    await store.close();
  }
}

/** The command that accepts what was only shown. */
function adviceFor(tools: ReadonlySet<string>): string {
  const [first] = tools;
  if (first === undefined) return '';
  const pattern = tools.size === 1 ? first : '*';
  return `. To accept ${tools.size === 1 ? 'it' : 'them all'}: quartermaster mcp accept ${JSON.stringify(pattern)}`;
}
