import { execFileSync } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { run } from '../run.ts';

/** A script is longer than the buffer of a stream that is read only in the end. */
async function script(shell: string): Promise<{ readonly code: number; readonly out: string }> {
  const chunks: string[] = [];
  const stdout = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const code = await run(['completion', shell], {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    env: {},
  });
  return { code, out: chunks.join('') };
}

async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { out: defined } = await script('bash');
  const typed = ['quartermaster', ...words].map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _quartermaster; echo "\${COMPREPLY[*]}"`;
  const out = execFileSync('bash', ['--norc', '-c', `${defined}\n${ask}`], { encoding: 'utf8' });
  return out.trim().split(' ');
}

describe('quartermaster completion', () => {
  it('completes commands, subcommands and options in bash', async () => {
    expect(await complete('doc')).toEqual(['doctor']);
    expect(await complete('mcp', 'inst')).toEqual(['install']);
    expect(await complete('lint', '--tools', 'catalog.json', '--max-tok')).toEqual(['--max-tokens-per-server']);
    expect(await complete('mcp', 'install', '--dry')).toEqual(['--dry-run']);
  });

  it('completes the values of options and arguments in bash', async () => {
    expect(await complete('search', 'mail', '-e', 'bm')).toEqual(['bm25']);
    expect(await complete('mcp', '--form', 'br')).toEqual(['bridge']);
    expect(await complete('mcp', 'install', 'claude-d')).toEqual(['claude-desktop']);
    expect(await complete('completion', 'z')).toEqual(['zsh']);
    expect(await complete('keys', 'create', 'x', '--role', 'pub')).toEqual(['publisher']);
  });

  it('leaves a free value to the completion of file names in bash', async () => {
    expect(await complete('lint', '--tools', '')).toEqual(['']);
    expect(await complete('lint', '-t', '')).toEqual(['']);
    expect(await complete('lint', '--strict', '')).toContain('--tools');
  });

  it('has a script for zsh and fish, and for no other shell', async () => {
    expect((await script('zsh')).out).toContain('bashcompinit\n_quartermaster() {');
    const { out } = await script('fish');
    expect(out).toContain(`complete -c quartermaster -n "__fish_seen_subcommand_from lint" -l sarif -r -d '`);
    expect(out).toContain(`-s e -l engine -x -a 'auto hybrid `);
    expect(out).toMatch(/-n "__fish_seen_subcommand_from mcp; and not [^"]* install [^"]*" -l strict -d/);
    expect(out).toContain(`-n "__fish_seen_subcommand_from lint" -s h -l help -d '`);
    expect((await script('csh')).code).toBe(2);
  });
});
