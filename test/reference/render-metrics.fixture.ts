import { readSources } from './read-source.fixture.ts';

/** Every metric, from where it is registered. */
export function renderMetrics(): string {
  const source = readSources('packages/gateway/src');
  const found = [
    ...source.matchAll(/\.(counter|total|gauges?|level|histogram)\(\s*'(\w+)',\s*(?:'([^']*)'|"([^"]*)"|`([^`]*)`)/g),
  ];
  const rows = found
    .map(
      ([, kind = '', name = '', one, two, three]) =>
        `| \`${name}\` | ${/gauge|level/.test(kind) ? 'gauge' : kind === 'total' ? 'counter' : kind} | ${one ?? two ?? three ?? ''} |`,
    )
    .sort();
  return `# Metrics

\`GET /metrics\` returns these in the Prometheus text format. This page is generated from the code that
registers them. Labels are routes, statuses, outcomes, models and names from the settings, never
words of a user or a tool. A metric has at most 1,000 series; further ones are counted together.

| metric | type | meaning |
|---|---|---|
${rows.join('\n')}
`;
}
