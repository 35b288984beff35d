import { PassThrough } from 'node:stream';
import { run } from 'quartermaster';

/** The help of every command, 80 columns wide. */
export async function renderCommandLine(): Promise<string> {
  const sections: string[] = [];
  const visit = async (path: readonly string[]): Promise<void> => {
    const help = await helpOf(path);
    sections.push(`## ${['quartermaster', ...path].join(' ')}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`);
    const [, commands = ''] = /^Commands:\n((?: .*\n)*)/m.exec(help) ?? [];
    for (const [, name = ''] of commands.matchAll(/^ {2}([a-z]+)/gm)) if (name !== 'help') await visit([...path, name]);
  };
  await visit([]);
  return `# Command line

The help of every command, as \`--help\` prints it. This page is made by running them. In a clone, the
command is \`node packages/cli/bin/quartermaster.js\`; [the guide](../guides/command-line.md) shows
what to use when.

${sections.join('\n')}`;
}

async function helpOf(path: readonly string[]): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { columns: 80 });
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  await run([...path, '--help'], { stdin, stdout, stderr, env: { NO_COLOR: '1' } });
  return String(stdout.read());
}
