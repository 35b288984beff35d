import { SNAPSHOT_DEFAULTS, type Snapshot } from '@quartermaster/core';
import type { Command } from 'commander';
import { write } from '../command-io.ts';
import { readTools } from '../input/index.ts';
import { findSampleCatalog } from '../sample-catalog.ts';
import { counted } from '../terminal/index.ts';
import type { CommandContext } from './command-context.ts';
import { wholeNumber } from './option-values.ts';

/** The options of every command that reads a catalog. */
export interface CatalogFlags {
  readonly tools?: readonly string[];
  readonly skipBad?: boolean;
  readonly maxTools: number;
}

export function addCatalogOptions(command: Command): Command {
  return command
    .option('-t, --tools <file...>', 'catalogs: JSON or JSONL, also gzip; "-" is stdin (default: the sample catalog)')
    .option('--skip-bad', "go on without tools that can't be read, and say how many")
    .option(
      '--max-tools <n>',
      'how many tools the catalog may have',
      wholeNumber(1, 5_000_000),
      SNAPSHOT_DEFAULTS.maxTools,
    );
}

/** Reads the catalog that the options name. What the user should know of it goes to stderr, so that stdout stays the answer. */
export async function loadCatalog(flags: CatalogFlags, { io }: CommandContext): Promise<Snapshot> {
  const files = flags.tools ?? findSampleCatalog().tools;
  const { snapshot, skipped, skippedCount } = await readTools(files, {
    stdin: io.stdin,
    skipBad: flags.skipBad,
    maxTools: flags.maxTools,
  });
  if (flags.tools === undefined) {
    const size = `${counted(snapshot.tools.length, 'tool')} of ${counted(snapshot.servers.length, 'service')}`;
    await write(io.stderr, `No --tools given: using the sample catalog (${size}).\n`);
  }
  if (skippedCount > 0) {
    const shown = skipped.slice(0, SHOWN_WARNINGS).map((message) => `  ${message}\n`);
    const rest = skippedCount > shown.length ? `  … and ${skippedCount - shown.length} more\n` : '';
    const what = `${counted(skippedCount, 'tool')} that can't be read or ${skippedCount === 1 ? 'is' : 'are'} there twice`;
    await write(io.stderr, `Left out ${what}:\n${shown.join('')}${rest}`);
  }
  return snapshot;
}

const SHOWN_WARNINGS = 5;
