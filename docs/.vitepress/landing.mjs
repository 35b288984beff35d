/**
 * The first page of the site. On GitHub, docs/index.md is a plain page; here its title and first paragraph give way to a
 * hero and cards.
 */
const frontmatter = {
  layout: 'home',
  hero: {
    name: 'Quartermaster',
    text: 'Thousands of tools. The model reads five.',
    tagline:
      'Tool search for any language model. Definitions stay in a catalog; the model searches it and loads what it needs.',
    actions: [
      { theme: 'brand', text: 'I run MCP servers', link: '/start/mcp-servers' },
      { theme: 'alt', text: 'I write agents', link: '/start/agents' },
      { theme: 'alt', text: 'I run a platform', link: '/start/platform' },
    ],
  },
  features: [
    card('MCP proxy', 'One MCP server in front of all of yours. Your client sees three tools.', '/guides/mcp'),
    card('Gateway', 'Anthropic and OpenAI clients get tool search on any model, unchanged.', '/guides/gateway'),
    card('SDK wrapper', 'One line around the client of Anthropic, OpenAI, Google or the AI SDK.', '/guides/library'),
    card('Agent', 'query() with the message types of the Claude Agent SDK, on any model.', '/guides/agent'),
    card('Library', 'Your own loop: plan, search and check calls, with no dependencies.', '/guides/library'),
    card('Command line', 'What do my tools cost, will they be found, and why not?', '/guides/command-line'),
  ],
};

export function showLanding(pageData) {
  if (pageData.relativePath !== 'index.md') return;
  Object.assign(pageData.frontmatter, frontmatter);
}

/** Leaves out what the hero says already: everything before the first picture. */
export function skipIntroduction(markdown) {
  markdown.core.ruler.push('skip-introduction', (state) => {
    if (!(state.env.realPath ?? state.env.path).endsWith('docs/index.md')) return;
    const picture = state.tokens.findIndex(({ children }) => children?.some(({ type }) => type === 'image'));
    state.tokens.splice(0, picture - 1);
  });
}

/** Blocks without a language are commands, or text. */
export function colorCommands(markdown) {
  markdown.core.ruler.push('color-commands', ({ tokens }) => {
    for (const token of tokens)
      if (token.type === 'fence' && token.info === '' && COMMAND.test(token.content)) token.info = 'sh';
  });
}

const COMMAND =
  /^(alias|claude|code|codex|cp|curl|docker|export|gemini|git|kubectl|node|npm|npx|pg_dump|quartermaster) /;

function card(title, details, link) {
  return { title, details, link };
}
