import { memoized } from '@quartermaster/core/internal';
import { checkValue } from '@quartermaster/host/schema';
import { ApiError, parseJson, readBytes } from '../http/index.ts';
import { allComponents, type Schema } from './schema.ts';

/** Bodies of the management API are small. */
const MOST_BYTES = 1024 * 1024;

/** The body of a request, checked against the documented schema. Throws 400 with the reason. */
export async function readJsonBody<Body>(request: Request, schema: Schema): Promise<Body> {
  const value = parseJson(await readBytes(request, MOST_BYTES));
  const check = checkValue(whole(schema), value);
  if (check.kind === 'good') return value as Body;
  const [problem] = check.problems;
  throw new ApiError(400, problem === undefined ? 'The request body is not valid' : describe(problem));
}

/** With the components that it refers to. The same schema returns the same value: the checker prepares each one once. */
const whole = memoized((schema: Schema): Schema => ({ ...schema, components: { schemas: allComponents() } }));

function describe({ path, message }: { readonly path: string; readonly message: string }): string {
  return path === '' ? message : `${path}: ${message}`;
}
