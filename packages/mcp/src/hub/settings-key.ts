import { digest } from '../digest.ts';
import { isInProcess, isStdio, type ServerSettings } from './server-settings.ts';

/**
 * What a server is known by between runs: its name and where it comes from. Values of variables and headers are left out,
 * since they may be secrets; so a new token keeps the listing, and another command does not.
 */
export function settingsKey(name: string, settings: ServerSettings): string {
  return digest([JSON.stringify(['quartermaster server 1', name, identity(settings)])]);
}

function identity(settings: ServerSettings): readonly unknown[] {
  if (isStdio(settings)) {
    return [
      'stdio',
      settings.command,
      settings.args ?? [],
      Object.keys(settings.env ?? {}).sort(),
      settings.cwd ?? null,
    ];
  }
  if (isInProcess(settings)) return ['in-process'];
  return [settings.type ?? null, settings.url, Object.keys(settings.headers ?? {}).sort()];
}
