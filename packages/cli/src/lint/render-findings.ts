import { packageVersion } from '../package-version.ts';
import { count, counted, oneLine, type Terminal, wrap } from '../terminal/index.ts';
import { type Finding, levelOf, RULES, type RuleName, type Suggestion } from './finding.ts';

interface Linted {
  readonly tools: number;
  readonly findings: readonly Finding[];
}

/** The count first, then each rule with its tools, errors before warnings. */
export function renderFindings({ tools, findings }: Linted, top: number, { paint, width }: Terminal): string {
  if (findings.length === 0) return `${counted(tools, 'tool')}, nothing to report.`;
  const errors = findings.filter((finding) => levelOf(finding) === 'error').length;
  const affected = new Set(findings.flatMap(({ tool }) => (tool === undefined ? [] : [tool]))).size;
  const warnings = findings.length - errors;
  const headline = `${counted(errors, 'error')} and ${counted(warnings, 'warning')} about ${count(affected)} of ${counted(tools, 'tool')}.`;
  const sections = (Object.keys(RULES) as RuleName[]).flatMap((rule) => {
    const own = findings.filter((finding) => finding.rule === rule);
    if (own.length === 0) return [];
    const { level, title } = RULES[rule];
    const head = `${paint.bold(title)} (${level === 'error' ? paint.yellow(level) : level}, ${rule}): ${count(own.length)}`;
    const lines = own.slice(0, top).map((finding) => wrap(describe(finding), width, { indent: 2, hanging: 4 }));
    const rest = own.length > top ? [`  … and ${count(own.length - top)} more; --top N shows them`] : [];
    return [[head, ...lines, ...rest].join('\n')];
  });
  return [headline, ...sections].join('\n\n');
}

function describe({ tool, message }: Finding): string {
  const text = oneLine(message, 200);
  return tool === undefined ? text : `${oneLine(tool.id, 80)}: ${text}`;
}

/** By tool: drafts of what to add, and notes if no draft can be made. Findings about no tool have the key "". */
export function toSuggestions(findings: readonly Finding[]): Readonly<Record<string, object>> {
  const byTool = new Map<string, { description?: string; parameters?: Suggestion['parameters']; notes: string[] }>();
  for (const { tool, suggestion } of findings) {
    const id = tool?.id ?? '';
    const { description, parameters, note } = suggestion;
    const entry = byTool.get(id) ?? { notes: [] };
    if (description !== undefined) entry.description = description;
    if (parameters !== undefined) entry.parameters = parameters;
    if (note !== undefined) entry.notes.push(note);
    byTool.set(id, entry);
  }
  return Object.fromEntries(byTool);
}

export interface Place {
  readonly file: string;
  readonly line: number;
}

/** SARIF 2.1.0, the input of code scanning. A finding points at the tool's line if it is known. */
export function toSarif(findings: readonly Finding[], placeOf: (finding: Finding) => Place): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'quartermaster lint',
            version: packageVersion(),
            rules: Object.entries(RULES).map(([id, { level, title }]) => ({
              id,
              shortDescription: { text: title },
              defaultConfiguration: { level },
            })),
          },
        },
        results: findings.map((finding) => {
          const { file, line } = placeOf(finding);
          const { tool } = finding;
          return {
            ruleId: finding.rule,
            level: levelOf(finding),
            message: { text: tool === undefined ? finding.message : `${tool.id}: ${finding.message}` },
            locations: [
              {
                physicalLocation: { artifactLocation: { uri: toUri(file) }, region: { startLine: line } },
                ...(tool === undefined
                  ? {}
                  : { logicalLocations: [{ fullyQualifiedName: tool.id, kind: 'function' }] }),
              },
            ],
          };
        }),
      },
    ],
  };
}

function toUri(file: string): string {
  return file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
}
