/** Servers as lines of `quartermaster.yaml`. JSON is YAML, and one line for each server keeps what was pasted readable. */
export function settingsBlock(
  servers: readonly { readonly name: string; readonly entry: Readonly<Record<string, unknown>> }[],
): string {
  const lines = servers.map(({ name, entry }) => {
    const key = /^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name);
    return `  ${key}: ${JSON.stringify(entry)}`;
  });
  return ['mcpServers:', ...lines].join('\n');
}
