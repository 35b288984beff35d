import type { Command } from 'commander';

/** The options of every command that talks to a running gateway. */
export interface GatewayFlags {
  readonly url?: string;
  readonly key?: string;
}

export function addGatewayOptions(command: Command): Command {
  return command
    .option('-u, --url <address>', 'the gateway (default: QUARTERMASTER_URL, else http://127.0.0.1:8787)')
    .option('--key <secret>', 'an API key of the gateway (default: QUARTERMASTER_KEY)');
}
