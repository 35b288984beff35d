import { type ScriptedTurn, type ScriptedUpstream, scripted } from '@quartermaster/host/upstream';
import { type Options, query, type SDKMessage } from '../index.ts';
import { collect } from './collect.fixture.ts';
import { office } from './servers.fixture.ts';

export interface Asked {
  readonly messages: readonly SDKMessage[];
  readonly upstream: ScriptedUpstream<'anthropic'>;
}

/** One prompt to a model that follows a script, with the office's tools, of which nothing is kept. */
export async function ask(turns: readonly ScriptedTurn<'anthropic'>[], options: Options = {}): Promise<Asked> {
  const upstream = scripted({ dialect: 'anthropic', turns });
  const given = { upstream, mcpServers: { office: office() }, persistSession: false };
  const messages = await collect(query({ prompt: 'Do it', options: { ...given, ...options } }));
  return { messages, upstream };
}

/** A script in which one tool is called, and the model is done. */
export function calling(name: string, input: object = {}): readonly ScriptedTurn<'anthropic'>[] {
  return [{ calls: [{ name, input }] }, { text: 'Done.' }];
}
