import { SettingError } from '@quartermaster/core/errors';

/** A mistake in the settings, and where it is. */
export interface ConfigProblem {
  /** The file, the environment variable or the flag that the value came from. */
  readonly source: string;
  /** Where in the file, counted from 1. */
  readonly line?: number;
  /** The path in the document: `upstreams[0].apiKey`. Empty for the document as a whole. */
  readonly path: string;
  /** What is wrong and what is allowed, in one sentence that begins with the path. Never contains a secret. */
  readonly message: string;
  /** The environment variable that the value needs and that is not set. */
  readonly variable?: string;
}

/** The settings are invalid. All problems are reported at once, one per line. */
export class ConfigError extends SettingError {
  override readonly name: string = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super('invalid_setting', problems.map(describeProblem).join('\n'), { context: { problems } });
    this.problems = problems;
  }
}

function describeProblem({ source, line, message }: ConfigProblem): string {
  return `${source}${line === undefined ? '' : `:${line}`}: ${message}`;
}
