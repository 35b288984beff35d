import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export function readSource(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** All sources of a folder, without tests. */
export function readSources(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name))
    .sort()
    .map((name) => readSource(`${folder}/${name}`))
    .join('\n');
}

/** The members of a union of texts, each with the comment before it. */
export function membersOf(source: string, type: string): readonly (readonly [string, string])[] {
  const [, body = ''] = new RegExp(`export type ${type} =([\\s\\S]*?);\\n`).exec(source) ?? [];
  return [...body.matchAll(/(?:\/\*\* (.*?) \*\/\s*)?\| '(\w+)'/g)].map(([, text = '', code = '']) => [code, text]);
}
