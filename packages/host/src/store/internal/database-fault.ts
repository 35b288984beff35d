import { StoreError } from '../store-error.ts';

/** What a database's own error means for its callers. */
interface Fault {
  /** Whether the connection can no longer be used. */
  readonly isLost: boolean;
  readonly code: 'unavailable' | 'full';
  /** Safe to show to clients: no address, user or SQL. */
  readonly reason: string;
}

/** A driver's error as ours, if the database is at fault. Any other error is returned unchanged: it is a mistake in this program. */
export function explainFault(error: unknown, database: 'PostgreSQL' | 'SQLite'): unknown {
  if (error instanceof StoreError) return error;
  const fault = database === 'PostgreSQL' ? postgresFault(error) : sqliteFault(error);
  if (fault === undefined) return error;
  const problem = fault.code === 'full' ? 'is out of space' : `is unavailable: ${fault.reason}`;
  return new StoreError(fault.code, `The store (${database}) ${problem}`, { cause: error });
}

/** Whether PostgreSQL's connection is lost, so that it must not go back to the pool. */
export function isConnectionLost(error: unknown): boolean {
  return postgresFault(error)?.isLost === true;
}

/** The server said that it rolled the statement back, so running it again can't apply it twice. */
export function isUndone(error: unknown): boolean {
  return UNDONE.has(codeOf(error));
}

/** `serialization_failure` and `deadlock_detected`: the server rolled back one side so that the other could continue. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error));
}

function postgresFault(error: unknown): Fault | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if (!SQLSTATE.test(code)) return driverFault(error, code);
  if (code === '53100') return { isLost: false, code: 'full', reason: '' };
  const [, reason, isLost = false] = STATES.find(([prefix]) => code.startsWith(prefix)) ?? [];
  return reason === undefined ? undefined : { isLost, code: 'unavailable', reason };
}

/** Errors of sockets and of the driver, which have no SQLSTATE. */
function driverFault({ message }: Error, code: string): Fault | undefined {
  const [, reason] = DRIVER.find(([pattern]) => pattern.test(code) || pattern.test(message)) ?? [];
  return reason === undefined ? undefined : { isLost: true, code: 'unavailable', reason };
}

function sqliteFault(error: unknown): Fault | undefined {
  const code = codeOf(error);
  if (code.startsWith('SQLITE_FULL')) return { isLost: false, code: 'full', reason: '' };
  const [, reason] = SQLITE.find(([prefix]) => code.startsWith(prefix)) ?? [];
  return reason === undefined ? undefined : { isLost: false, code: 'unavailable', reason };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const SQLSTATE = /^[0-9A-Z]{5}$/;
const UNDONE: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03']);
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01']);

/** SQLSTATEs by prefix: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const STATES: readonly (readonly [prefix: string, reason: string, isLost?: boolean])[] = [
  ['08', 'the connection was lost', true],
  ['57014', 'a statement took too long'],
  ['57', 'it is starting or stopping', true],
  ['53300', 'it has no free connection', true],
  ['53', 'it is short of resources'],
  ['58', 'it reports a system error', true],
  ['25006', 'it is read-only, as after a failover', true],
  ['25P03', 'the connection was lost', true],
  ['40', 'other replicas change the same rows'],
  ['55P03', 'a row stayed locked'],
  ['28', 'it rejects the credentials', true],
  ['3D000', 'the database does not exist', true],
  ['42501', 'it rejects the user'],
  ['42P01', 'tables are missing'],
];

const DRIVER: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^ECONNREFUSED$/, 'it refuses connections'],
  [/^(?:ENOTFOUND|EAI_\w+)$/, 'its host name was not found'],
  [/timeout|^ETIMEDOUT$/i, 'it does not respond in time'],
  [/^E[A-Z]+$|terminated|not queryable|closed/i, 'the connection was lost'],
];

const SQLITE: readonly (readonly [prefix: string, reason: string])[] = [
  ['SQLITE_BUSY', 'another program holds the file'],
  ['SQLITE_LOCKED', 'another program holds the file'],
  ['SQLITE_READONLY', 'the file is read-only'],
  ['SQLITE_CANTOPEN', "the file can't be opened"],
  ['SQLITE_IOERR', "the file can't be read or written"],
  ['SQLITE_CORRUPT', 'the file is damaged'],
  ['SQLITE_NOTADB', 'the file is damaged'],
  ['SQLITE_PERM', "the file can't be opened"],
  ['SQLITE_NOMEM', 'there is no memory left'],
];
