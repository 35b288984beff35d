import { invalidSetting } from '../invalid-setting.ts';
import { AGENT_FIELD_ROWS, type ContractRow, type ContractTable, METHOD_ROWS, OPTION_ROWS } from './sdk-contract.ts';

/** Options of our own, which the agent SDK does not have. */
export const OWN_OPTIONS: readonly string[] = [
  'capabilities',
  'contextTokens',
  'costOf',
  'form',
  'maxOutputTokens',
  'pins',
  'policies',
  'prices',
  'searcher',
  'sessions',
  'signIn',
  'startWaitMs',
  'toolSearchThreshold',
  'upstream',
];

/** Throws a `SettingError` for the first option that has no effect here, so that ported code does not appear to work. */
export function checkOptions(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (OWN_OPTIONS.includes(name)) continue;
    if (!Object.hasOwn(OPTION_ROWS, name)) {
      const known = [...OWN_OPTIONS, ...supportedIn(OPTION_ROWS)].sort();
      throw invalidSetting({ setting: name }, `Unknown option ${JSON.stringify(name)}. Allowed: ${known.join(', ')}`);
    }
    checkRow(OPTION_ROWS, 'options', name, value);
  }
}

/** The same for a field of a subagent's definition. */
export function checkAgentField(agent: string, field: string, value: unknown): void {
  if (!Object.hasOwn(AGENT_FIELD_ROWS, field)) {
    const known = supportedIn(AGENT_FIELD_ROWS).join(', ');
    throw invalidSetting({ setting: agent }, `${agent} has no field ${JSON.stringify(field)}. Allowed: ${known}`);
  }
  checkRow(AGENT_FIELD_ROWS, agent, field, value);
}

/** The same for fields of which the agent SDK has some. The others are checked elsewhere. */
export function checkRows(rows: ContractTable, owner: string, fields: object): void {
  for (const [name, value] of Object.entries(fields)) checkRow(rows, owner, name, value);
}

function checkRow(rows: ContractTable, owner: string, name: string, value: unknown): void {
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row?.standing === 'refused' && !asksForNothing(value, row)) {
    throw invalidSetting({ setting: owner }, `${owner}.${name} is not supported. ${row.note}`);
  }
}

/** A method for each name of the agent SDK that this package lacks. Each rejects, and says what to do instead. */
export function refusedMethods(): Readonly<Record<string, () => Promise<never>>> {
  const refused = Object.entries(METHOD_ROWS).filter(([, { standing }]) => standing === 'refused');
  return Object.fromEntries(
    refused.map(([name, { note }]) => [
      name,
      async (): Promise<never> => {
        throw invalidSetting({ setting: name }, `${name}() is not supported. ${note}`);
      },
    ]),
  );
}

/** The names in a table that work here. */
export function supportedIn(rows: ContractTable): readonly string[] {
  return Object.entries(rows).flatMap(([name, { standing }]) => (standing === 'supported' ? [name] : []));
}

function asksForNothing(value: unknown, { harmless = [] }: ContractRow): boolean {
  if (value === undefined || value === null || value === false || value === '' || harmless.includes(value)) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
