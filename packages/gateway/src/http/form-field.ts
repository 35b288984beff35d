import { ApiError } from './api-error.ts';

/**
 * A text field of a form (`multipart/form-data`), such as the model that a recording is sent to. Its other parts are files, which are
 * passed on unread. What one parser would read otherwise than another is refused: a key's permissions depend on this field.
 */
export function readFormField(body: Buffer, contentType: string, field: string): string {
  const boundary = BOUNDARY.exec(contentType)
    ?.slice(1)
    .find((value) => value !== undefined);
  if (boundary === undefined) throw wrong('its content type has no boundary');
  const delimiter = Buffer.from(`--${boundary}`);
  const values: string[] = [];
  let [count, at] = [1, 0];
  if (!body.subarray(0, delimiter.length).equals(delimiter)) throw wrong('it does not begin with its boundary');
  for (; ; count += 1) {
    at += delimiter.length;
    if (body.toString('latin1', at, at + 2) === '--') break;
    const start = body.indexOf('\r\n\r\n', at);
    if (count > MOST_PARTS || start < 0 || start - at > LONGEST_HEADERS)
      throw wrong('a part has no end of its headers');
    const end = body.indexOf(`\r\n--${boundary}`, start + 2);
    if (end < 0) throw wrong('it has no end');
    const { name, isFile } = readHeaders(body.toString('utf8', at, start));
    if (name === field) {
      if (isFile) throw wrong(`${field} is a file`);
      values.push(body.toString('utf8', Math.min(start + 4, end), end));
    }
    at = end + 2;
  }
  if (countOf(body, delimiter) !== count) throw wrong('its boundary stands inside a part');
  const [value, ...others] = values;
  if (value === undefined) throw new ApiError(400, `${field}: Field required`, { param: field });
  if (others.length > 0) throw wrong(`${field} is there more than once`);
  return value;
}

const BOUNDARY = /^multipart\/form-data\s*;\s*boundary=(?:"([^"\r\n]{1,200})"|([^";\s]{1,200}))\s*$/i;

/** More than any client sends. */
const MOST_PARTS = 1_000;
const LONGEST_HEADERS = 8 * 1024;

/** The name of a part. */
function readHeaders(text: string): { readonly name: string; readonly isFile: boolean } {
  const lines = text.split('\r\n').slice(1);
  const dispositions = lines.filter((line) => /^content-disposition\s*:/i.test(line));
  const [disposition = ''] = dispositions;
  const isPlain = lines.every((line) => /^[^\s:][^:\r\n]*:[^\r\n]*$/.test(line));
  if (dispositions.length !== 1 || !isPlain || !DISPOSITION.test(disposition))
    throw wrong('a part has no readable name');
  const parameters = [...disposition.matchAll(PARAMETER)].map(([, name = '', value = '']) => [
    name.toLowerCase(),
    value,
  ]);
  const names = parameters.flatMap(([name, value = '']) => (name === 'name' ? [value] : []));
  const [name] = names;
  if (name === undefined || names.length > 1 || /[\\%]/.test(name)) throw wrong('a part has no readable name');
  return { name, isFile: parameters.length > 1 };
}

const DISPOSITION =
  /^content-disposition\s*:\s*form-data(?:\s*;\s*(?:name|filename)="(?:[^"\\\r\n]|\\.)*"|\s*;\s*filename\*=[^;"\s]+)+\s*$/i;
const PARAMETER = /;\s*(name|filename\*?)=(?:"((?:[^"\\]|\\.)*)"|[^;"\s]+)/gi;

function countOf(body: Buffer, delimiter: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) count += 1;
  return count;
}

function wrong(problem: string): ApiError {
  return new ApiError(400, `The form can't be read: ${problem}`);
}
