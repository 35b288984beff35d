import type { Command } from 'commander';
import { addNamedCatalogOptions, type CatalogFlags } from './catalog-options.ts';
import type { CommandContext } from './command-context.ts';
import { addGatewayOptions, type GatewayFlags } from './gateway-options.ts';

export interface PushCatalogFlags extends GatewayFlags, CatalogFlags {
  readonly dryRun?: true;
}

export interface ListCatalogsFlags extends GatewayFlags {
  readonly json?: true;
}

export interface DiffCatalogsFlags extends GatewayFlags {
  readonly json?: true;
}

export function addCatalogsCommand(program: Command, context: CommandContext): void {
  const catalogs = program
    .command('catalogs')
    .description('named catalogs of a gateway: push, list, diff, give')
    .addHelpText('after', EXAMPLES);

  addGatewayOptions(
    addNamedCatalogOptions(
      catalogs
        .command('push')
        .description('upload tools as a named catalog; a catalog of that name is replaced')
        .argument('<name>', 'the name that requests use: letters, digits, "_", "-" and "."')
        .option('--dry-run', 'show what would change, and upload nothing'),
    ),
  ).action(async (name: string, flags: PushCatalogFlags) => {
    const { pushCatalog } = await import('../remote/index.ts');
    await pushCatalog(name, flags, context);
  });

  addGatewayOptions(
    catalogs
      .command('list')
      .description('list the catalogs that your key may use')
      .option('--json', 'one JSON object per line'),
  ).action(async (flags: ListCatalogsFlags) => {
    const { listCatalogs } = await import('../remote/index.ts');
    await listCatalogs(flags, context);
  });

  addGatewayOptions(
    catalogs
      .command('diff')
      .description('show which tools were added, removed or changed between two catalogs')
      .argument('<before>', 'a file, or gateway:NAME')
      .argument('<after>', 'a file, or gateway:NAME')
      .option('--json', 'write one JSON object'),
  ).action(async (before: string, after: string, flags: DiffCatalogsFlags) => {
    const { diffCatalogs } = await import('../remote/index.ts');
    await diffCatalogs({ before, after }, flags, context);
  });

  addGatewayOptions(
    catalogs
      .command('give')
      .description('make another key the owner of a catalog; needs an admin key without restrictions')
      .argument('<name>', 'the catalog')
      .argument('<key>', 'the full id of the key, as shown by quartermaster keys list'),
  ).action(async (name: string, owner: string, flags: GatewayFlags) => {
    const { giveCatalog } = await import('../remote/index.ts');
    await giveCatalog({ name, owner }, flags, context);
  });
}

const EXAMPLES = `
Examples:
  $ quartermaster catalogs push acme --tools tools.json --dry-run
  $ quartermaster catalogs push acme --mcp-config .mcp.json
  $ quartermaster catalogs list --url https://gateway.example.com
  $ quartermaster catalogs diff gateway:acme tools.json
  $ quartermaster catalogs give acme key_4v7q0m2xk9c3hs8d1tzb6wnr
  $ quartermaster catalogs diff old.jsonl.gz new.jsonl.gz --json

push needs a key with the role publisher or admin if the gateway has keys. Put
the key into QUARTERMASTER_KEY: other users of this machine can see arguments.
Exit status: 0 done (diff: no difference), 1 the catalogs differ, 2 the command
line, a file or the request can't be used, 69 the gateway is unavailable.`;
