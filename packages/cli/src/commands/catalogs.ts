import { addNamedCatalogOptions } from './catalog-options.ts';
import type { CommandLine } from './command-line.ts';

export function addCatalogsCommand(program: CommandLine): void {
  const remote = () => import('../remote/index.ts');
  const catalogs = program
    .command('catalogs')
    .description('named catalogs of a gateway: push, list, diff, give')
    .examples(EXAMPLES);

  addNamedCatalogOptions(
    catalogs
      .command('push')
      .description('upload tools as a named catalog; a catalog of that name is replaced')
      .argument('<name>', 'the name that requests use: letters, digits, "_", "-" and "."')
      .option('--dry-run', 'show what would change, and upload nothing'),
  )
    .gateway()
    .runs(async () => (await remote()).pushCatalog);

  catalogs
    .command('list')
    .description('list the catalogs that your key may use')
    .option('--json', 'one JSON object per line')
    .gateway()
    .runs(async () => (await remote()).listCatalogs);

  catalogs
    .command('diff')
    .description('show which tools were added, removed or changed between two catalogs')
    .argument('<before>', 'a file, or gateway:NAME')
    .argument('<after>', 'a file, or gateway:NAME')
    .option('--json', 'write one JSON object')
    .gateway()
    .runs(async () => (await remote()).diffCatalogs);

  catalogs
    .command('give')
    .description('make another key the owner of a catalog; needs an admin key without restrictions')
    .argument('<name>', 'the catalog')
    .argument('<key>', 'the full id of the key, as shown by quartermaster keys list')
    .gateway()
    .runs(async () => (await remote()).giveCatalog);
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
