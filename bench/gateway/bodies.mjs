import { synthesiseTools } from '../synthesise-tools.mjs';

const SEARCH = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };

/** Definitions as the Messages API takes them, all names different. */
export function makeDefinitions(count) {
  return synthesiseTools(count)
    .flatMap((chunk) => JSON.parse(chunk))
    .map(({ name, description, inputSchema }, index) => ({
      name: `${name}_${index}`.slice(-128),
      description,
      input_schema: inputSchema,
    }));
}

/** The same tools under other names, which no server has seen before. */
export function renamed(definitions, suffix) {
  return definitions.map((definition) => ({ ...definition, name: `${definition.name}_${suffix}`.slice(-128) }));
}

/** Tools behind a search, as a client sends them that uses the tool search tool. */
export function deferred(definitions) {
  return [SEARCH, ...definitions.map((definition) => ({ ...definition, defer_loading: true }))];
}

export function namedCatalog(name) {
  return [SEARCH, { type: 'quartermaster_catalog', name, defer_loading: true }];
}

export function makeBody(tools, { model = 'claude-scripted', text = 'Hello', stream = false } = {}) {
  const messages = [{ role: 'user', content: text }];
  return Buffer.from(
    JSON.stringify({ model, max_tokens: 100, messages, ...(stream ? { stream } : {}), ...(tools ? { tools } : {}) }),
  );
}
