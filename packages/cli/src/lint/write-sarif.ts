import { packageVersion } from '../package-version.ts';
import { type Finding, levelOf, RULES } from './finding.ts';

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
