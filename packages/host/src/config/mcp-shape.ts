import { DEFAULT_CONTEXT_TOKENS } from '@quartermaster/core/gate';
import type { McpSettings } from './config.ts';
import { bytes, choice, flag, milliseconds, text, webAddress, whole } from './scalar-shapes.ts';
import { listOf, object, type Shape } from './shape.ts';

/** What the gateway makes of MCP servers. The servers themselves are in `mcpServers`. */
export const MCP: Shape<McpSettings> = object({
  form: {
    about: 'How tools reach clients of /mcp. Without it all of them until the gate defers them, then as bridge.',
    shape: choice(['bridge', 'load', 'inline']),
  },
  contextTokens: {
    about: `The context window of the models of MCP clients, which the gate goes by. ${DEFAULT_CONTEXT_TOKENS} when missing.`,
    shape: whole({ min: 1, max: 1_000_000_000 }),
  },
  sessions: {
    about: 'Whether clients of /mcp may have lasting connections, which live in one process.',
    shape: flag(),
    default: false,
  },
  searchGuard: {
    about:
      'What repeated and fruitless searches of an MCP connection lead to. hint adds a sentence to the answer, stop-repeats also refuses a search that was made three times within ten minutes, off does neither. A search that was not made before is never refused.',
    shape: choice(['hint', 'stop-repeats', 'off']),
    default: 'hint',
  },
  quarantine: {
    about:
      'Which definitions of tools are held back until they are accepted (quartermaster mcp accept): none, those that changed since they were accepted, or new ones too. --strict is changed.',
    shape: choice(['off', 'changed', 'new']),
    default: 'off',
  },
  findings: {
    about:
      'What suspicious definitions of tools lead to (hidden instructions, invisible characters): warn names them on stderr and in the status, withhold leaves their tools out too, off does not look.',
    shape: choice(['warn', 'withhold', 'off']),
    default: 'warn',
  },
  alwaysLoad: {
    about:
      'Whether our own tools are marked so that a client with a tool search of its own does not hide them. auto does so for Claude clients, and for those that do not say who they are.',
    shape: choice(['auto', 'always', 'never']),
    default: 'auto',
  },
  limits: {
    about: "How much of a server's list of tools is taken. What is past a limit is missing, and searches say so.",
    shape: object({
      toolsPerServer: {
        about: 'How many tools.',
        shape: whole({ min: 1, max: 10_000_000 }),
        default: 100_000,
      },
      listBytes: { about: 'How long its definitions may be as JSON.', shape: bytes(), default: 64 * 1024 * 1024 },
    }),
    default: {},
  },
  origins: {
    about: 'Addresses of web pages that may use /mcp, beside those of the gateway itself: https://inspector.example.',
    shape: listOf(webAddress()),
    default: [],
  },
  connector: {
    about: 'Bounds on connecting to servers that clients name in mcp_servers.',
    shape: object({
      enabled: { about: 'Whether that is done at all.', shape: flag(), default: true },
      allow: {
        about:
          'Addresses that may be connected to, * standing for any text. One that names its host without a * opens private addresses of that host too.',
        shape: listOf(addressPattern()),
        default: ['https://*'],
      },
      connectTimeoutMs: { about: 'How long a server may take to answer.', shape: milliseconds(), default: 10_000 },
      callTimeoutMs: { about: 'How long a call may take.', shape: milliseconds(), default: 120_000 },
      resultBytes: { about: 'The largest result that a model gets to see.', shape: bytes(), default: 256 * 1024 },
    }),
    default: {},
  },
});

/** A scheme, a host, and perhaps a port and a path. */
function addressPattern(): Shape<string> {
  return text({
    pattern: /^https?:\/\/(?:\[[0-9a-fA-F:.]+\]|[^\s/:?#@[\]]+)(?::(?:\d{1,5}|\*))?(?:\/[^\s]*)?$/,
    allowed: 'an address such as https://mcp.example.com, https://*.example.com/mcp or http://127.0.0.1:9000',
  });
}
