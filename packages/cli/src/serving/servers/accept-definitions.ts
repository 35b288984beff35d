import { changedFields, type DefinitionChange } from '@quartermaster/mcp';
import { note, print } from '../../command-io.ts';
import type { CommandContext, ServerFlags } from '../../commands/index.ts';
import { InputError } from '../../input-error.ts';
import { counted, oneLine, type Terminal } from '../../terminal/index.ts';
import { loadAnsweredSettings, loadSettings } from '../settings/load-settings.ts';
import { withStore } from '../store/open-configured-store.ts';
import { configuredServers, createConfiguredHub, offerSignIn } from './create-configured-hub.ts';

/** Shows which definitions differ from their pins, and accepts the current ones that the patterns name. */
export async function acceptDefinitions(
  patterns: readonly string[],
  flags: ServerFlags,
  { io, terminal }: CommandContext,
): Promise<void> {
  const { config: unanswered } = loadSettings(flags, io.env);
  await withStore(unanswered.store, async (store) => {
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
      for (const { server, reason } of hub.unavailable()) await note(io, `${server}: ${reason}`);
      const counts = `${held.length - left.size} accepted, ${left.size} not accepted`;
      const advice = patterns.length > 0 ? '' : adviceFor(left);
      await note(io, `${counted(held.length, 'changed definition')}, ${counts}${advice}`);
    } finally {
      await hub.close();
    }
  });
}

/** The command that accepts what was only shown. */
function adviceFor(tools: ReadonlySet<string>): string {
  const [first] = tools;
  if (first === undefined) return '';
  const pattern = tools.size === 1 ? first : '*';
  return `. To accept ${tools.size === 1 ? 'it' : 'them all'}: quartermaster mcp accept ${JSON.stringify(pattern)}`;
}

/** A changed definition for people: before and after, field by field. */
function renderChange(change: DefinitionChange, { paint }: Terminal): string {
  const lines = changedFields(change).flatMap(({ field, before, after }) => [
    `  ${field}`,
    ...(change.isNew === true ? [] : [`  - ${whole(before)}`]),
    `  + ${whole(after)}`,
  ]);
  const name = paint.bold(whole(change.tool));
  return [change.isNew === true ? `${name} (new)` : name, ...lines].join('\n');
}

/** Nothing is cut here, because a person decides by it; texts that are too long say so themselves. */
function whole(text: string | null): string {
  return text === null ? 'nothing' : oneLine(text, Number.POSITIVE_INFINITY);
}
