import type { ServerInput } from '@quartermaster/host/config';
import { note } from '../../command-io.ts';
import type { CommandContext, ServerFlags } from '../../commands/index.ts';
import { InputError } from '../../input-error.ts';
import { ask, counted, oneLine } from '../../terminal/index.ts';
import { loadSettings, ownerOf, readAnswers } from '../settings/load-settings.ts';
import { describeStore, makeTokenKey, withStore } from '../store/open-configured-store.ts';

interface InputFlags extends ServerFlags {
  readonly forget?: true;
}

/** Asks for the inputs of clients' files, or forgets the answers. */
export async function answerInputs(ids: readonly string[], flags: InputFlags, { io }: CommandContext): Promise<void> {
  const isForgetting = flags.forget === true;
  const { config } = loadSettings(flags, io.env);
  if (config.inputs.length === 0 && ids.length === 0) throw new InputError(NO_INPUTS);
  const unknown = ids.find((id) => config.inputs.every((input) => input.id !== id));
  if (unknown !== undefined) throw new InputError(noSuchInput(unknown, config.inputs));
  const named = config.inputs.filter(({ id }) => ids.length === 0 || ids.includes(id));
  // First make sure that the answers can be stored.
  if (!isForgetting && named.length > 0) makeTokenKey(config.store);
  await withStore(config.store, async ({ tokens }) => {
    if (isForgetting) {
      for (const input of named) await tokens.delete(ownerOf(input));
      return note(io, `${counted(named.length, 'answer')} deleted.`);
    }
    const answers = await readAnswers(named, tokens);
    const open = ids.length > 0 ? named : named.filter(({ source, id }) => answers(source, id) === undefined);
    for (const input of open) await tokens.put(ownerOf(input), await askFor(input, io));
    if (open.length === 0) return note(io, `Nothing to ask: ${counted(named.length, 'input')}, all answered.`);
    return note(io, `${counted(open.length, 'answer')} stored encrypted: ${describeStore(config.store)}`);
  });
}

async function askFor(input: ServerInput, io: CommandContext['io']): Promise<string> {
  const { id, description, isSecret, servers, options, default: fallback } = input;
  const about = [
    description ?? id,
    `for ${servers.join(', ')}`,
    ...(options === undefined ? [] : [options.join(' | ')]),
  ];
  const hint = fallback === undefined ? '' : ` [${fallback}]`;
  const given = await ask(io, `${oneLine(about.join(', '), 200)}${oneLine(hint, 60)}: `, { isHidden: isSecret });
  const value = given === undefined || given === '' ? fallback : given;
  if (value === undefined)
    throw new InputError(`No answer to the input ${JSON.stringify(id)}: run this in a terminal, or pipe the answer in`);
  if (options !== undefined && !options.includes(value)) {
    throw new InputError(`The input ${JSON.stringify(id)} must be one of: ${options.join(', ')}`);
  }
  return value;
}

function noSuchInput(id: string, inputs: readonly ServerInput[]): string {
  const known = inputs.map((input) => input.id).join(', ');
  return `There is no input ${JSON.stringify(id)}. ${known === '' ? NO_INPUTS : `Inputs: ${known}`}`;
}

const NO_INPUTS = 'No server in the settings needs an input; to read another file, add --mcp-config FILE';
