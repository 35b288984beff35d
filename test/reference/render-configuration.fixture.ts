import { readSource } from './read-source.fixture.ts';

interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Every key of `quartermaster.yaml`, one section per top-level key, from its JSON Schema. */
export function renderConfiguration(): string {
  const schema = JSON.parse(readSource('packages/host/quartermaster.schema.json')) as Schema;
  const sections = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const [own = '', ...below] = keysOf(key, value, false);
    // The text above the table describes a block. A setting of one row has its text there.
    const text = below.length === 0 ? '' : `${value.description ?? ''}\n\n`;
    const rows = below.length === 0 || kindOf(value) !== 'block' ? [own, ...below] : below;
    return `## ${key}\n\n${text}| key | value | default | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `# Configuration

Every key of \`quartermaster.yaml\`. This page is generated from its JSON Schema
(\`packages/host/quartermaster.schema.json\`), which editors can use to check the file as you type.
[The gateway guide](../guides/gateway.md#all-settings-by-example) shows all settings in one file.

A value may be \`\${NAME}\`, which reads an environment variable. \`NAME[]\` stands for each entry of a
list, \`NAME.*\` for each entry of a block whose keys you choose.

${sections.join('\n')}`;
}

function keysOf(path: string, schema: Schema, isRequired: boolean): readonly string[] {
  const own = [`| \`${path}\` | ${kindOf(schema)} | ${defaultOf(schema, isRequired)} | ${textOf(schema)} |`];
  const below = choicesOf(schema).flatMap((choice) => [
    ...Object.entries(choice.properties ?? {}).flatMap(([key, value]) =>
      keysOf(`${path}.${key}`, value, choice.required?.includes(key) === true),
    ),
    ...(choice.items === undefined ? [] : entriesOf(`${path}[]`, choice.items)),
    ...(typeof choice.additionalProperties === 'object' ? entriesOf(`${path}.*`, choice.additionalProperties) : []),
  ]);
  return [...own, ...below.filter((row, index) => below.indexOf(row) === index)];
}

/** The keys of an entry, without a row for the entry itself where it is a plain value. */
function entriesOf(path: string, schema: Schema): readonly string[] {
  return choicesOf(schema).some(({ properties }) => properties !== undefined)
    ? keysOf(path, schema, false).slice(1)
    : [];
}

function choicesOf(schema: Schema): readonly Schema[] {
  const choices = schema.anyOf?.flatMap(choicesOf) ?? [schema];
  // Any value may be a reference to a variable; the head of the page says so.
  return choices.filter(({ pattern }) => pattern !== REFERENCE);
}

const REFERENCE = '\\$\\{[^}]*\\}';

function kindOf(schema: Schema): string {
  const names = choicesOf(schema).map((choice) => {
    if (choice.enum !== undefined) return choice.enum.map((value) => `\`${String(value)}\``).join(', ');
    if (choice.const !== undefined) return `\`${String(choice.const)}\``;
    const range = choice.minimum === undefined ? '' : ` from ${count(choice.minimum)}${to(choice.maximum)}`;
    if (choice.items !== undefined) return 'list';
    return (typeof choice.type === 'string' ? (TYPES[choice.type] ?? choice.type) : 'text or number') + range;
  });
  return [...new Set(names)].join(' or ');
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'block',
  string: 'text',
  integer: 'whole number',
  boolean: '`true`, `false`',
};

function to(maximum: number | undefined): string {
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${count(maximum)}`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function defaultOf({ default: value }: Schema, isRequired: boolean): string {
  if (isRequired) return 'required';
  if (value === undefined || JSON.stringify(value) === '{}') return '';
  const mebibytes = typeof value === 'number' && value % 2 ** 20 === 0 ? ` (${value / 2 ** 20} MiB)` : '';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\`${value === 0 ? '' : mebibytes}`;
}

function textOf({ description = '' }: Schema): string {
  return description.replaceAll('|', '\\|');
}
