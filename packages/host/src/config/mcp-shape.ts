import { DEFAULT_CONTEXT_TOKENS } from '@quartermaster/core/gate';
import type { McpSettings } from './config.ts';
import { bytes, choice, flag, milliseconds, text, webAddress, whole } from './scalar-shapes.ts';
import { listOf, object, type Shape } from './shape.ts';

/** The gateway's settings for MCP servers. The servers themselves are in `mcpServers`. */
export const MCP: Shape<McpSettings> = object({
  form: {
    about:
      'How tools reach clients of /mcp and of quartermaster mcp. If missing, all tools are listed until the gate defers them, then bridge is used.',
    shape: choice(['bridge', 'load', 'inline']),
  },
  contextTokens: {
    about: `The context window of the MCP clients' models, for the gate. Defaults to ${DEFAULT_CONTEXT_TOKENS}.`,
    shape: whole({ min: 1, max: 1_000_000_000 }),
  },
  sessions: {
    about: 'Whether clients of /mcp may keep a session, which lives in one process.',
    shape: flag(),
    default: false,
  },
  searchGuard: {
    about:
      'How repeated and fruitless searches on an MCP connection are handled. hint adds a sentence to the answer, stop-repeats also refuses a search that was made three times within ten minutes, off does neither. A search that was not made before is never refused.',
    shape: choice(['hint', 'stop-repeats', 'off']),
    default: 'hint',
  },
  quarantine: {
    about:
      'Which definitions are held back until you accept them (quartermaster mcp accept): off for none, changed for those that differ from the accepted ones, new for new ones as well. --strict means changed.',
    shape: choice(['off', 'changed', 'new']),
    default: 'off',
  },
  findings: {
    about:
      'What happens to suspicious definitions (hidden instructions, invisible characters): warn reports them on stderr and in the status, withhold also leaves their tools out, off does not check.',
    shape: choice(['warn', 'withhold', 'off']),
    default: 'warn',
  },
  alwaysLoad: {
    about:
      'Whether the search tools are marked so that clients with their own tool search do not hide them. auto marks them for Claude clients and for clients that do not identify themselves.',
    shape: choice(['auto', 'always', 'never']),
    default: 'auto',
  },
  resultBytes: {
    about: 'Maximum size of a tool result for clients of /mcp and of quartermaster mcp; the rest is cut off, visibly.',
    shape: bytes(),
    default: 8 * 1024 * 1024,
  },
  requestBytes: {
    about: 'Maximum size of a request to /mcp; a larger one gets a 413.',
    shape: bytes(),
    default: 4 * 1024 * 1024,
  },
  messageValues: {
    about:
      'Maximum number of JSON values in one message, of a client of /mcp or of a server (ten times as many in a list of tools). A member name that is new counts as ten. More would hold up other requests.',
    shape: whole({ min: 1_000, max: 1_000_000_000 }),
    default: 200_000,
  },
  limits: {
    about: "How much of a server's tool list is read. Tools beyond a limit are missing, and searches report that.",
    shape: object({
      toolsPerServer: {
        about: 'Maximum number of tools.',
        shape: whole({ min: 1, max: 10_000_000 }),
        default: 100_000,
      },
      listBytes: { about: 'Maximum size of its definitions as JSON.', shape: bytes(), default: 64 * 1024 * 1024 },
      listPages: { about: 'Maximum number of pages.', shape: whole({ min: 1, max: 1_000_000 }), default: 1_000 },
    }),
    default: {},
  },
  origins: {
    about: "Web origins that may use /mcp, in addition to the gateway's own: https://inspector.example.",
    shape: listOf(webAddress()),
    default: [],
  },
  connector: {
    about: 'Limits for servers that clients name in mcp_servers.',
    shape: object({
      enabled: { about: 'Whether it is enabled.', shape: flag(), default: true },
      allow: {
        about:
          'Addresses that may be connected to; * matches any text. A pattern whose host has no * also allows private addresses of that host.',
        shape: listOf(addressPattern()),
        default: ['https://*'],
      },
      connectTimeoutMs: { about: 'How long a server may take to answer.', shape: milliseconds(), default: 10_000 },
      callTimeoutMs: { about: 'How long a call may take.', shape: milliseconds(), default: 120_000 },
      resultBytes: {
        about: 'Maximum size of a result that the model sees; the rest is cut off.',
        shape: bytes(),
        default: 256 * 1024,
      },
    }),
    default: {},
  },
});

/** A scheme, a host, and optionally a port and a path. */
function addressPattern(): Shape<string> {
  return text({
    pattern: /^https?:\/\/(?:\[[0-9a-fA-F:.]+\]|[^\s/:?#@[\]]+)(?::(?:\d{1,5}|\*))?(?:\/[^\s]*)?$/,
    allowed: 'an address such as https://mcp.example.com, https://*.example.com/mcp or http://127.0.0.1:9000',
  });
}
