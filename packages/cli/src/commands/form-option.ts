import { Option } from 'commander';

/** How the proxy lists tools. */
export type ProxyForm = (typeof PROXY_FORMS)[number];

const PROXY_FORMS = ['bridge', 'load', 'inline'] as const;

export function formOption(): Option {
  return new Option(
    '--form <name>',
    'bridge: three tools to search, describe and call; load: found tools are added to the list; inline: all tools, ' +
      'no search (default: all tools until they take 10% of the context window, then bridge)',
  ).choices(PROXY_FORMS);
}
