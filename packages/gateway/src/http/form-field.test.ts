import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFormField } from './form-field.ts';

const TYPE = 'multipart/form-data; boundary=X';
const part = (headers: string, value: string): string => `--X\r\n${headers}\r\n\r\n${value}\r\n`;
const field = (name: string, value: string): string => part(`Content-Disposition: form-data; name="${name}"`, value);
const MODEL = field('model', 'whisper-1');
const END = '--X--\r\n';

function read(text: string, type = TYPE): string {
  return readFormField(Buffer.from(text), type, 'model');
}

describe('a field of a form', () => {
  it('is read from what fetch writes, wherever it stands', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const entries = fc.array(fc.record({ name: fc.constantFrom('file', 'image[]', 'language'), bytes }));
    await fc.assert(
      fc.asyncProperty(entries, entries, fc.string({ minLength: 1 }), async (before, after, value) => {
        const form = new FormData();
        const add = (list: readonly { name: string; bytes: Uint8Array<ArrayBuffer> }[]): void => {
          for (const [at, one] of list.entries()) form.append(one.name, new Blob([one.bytes]), `"file" ${at}.mp3`);
        };
        add(before);
        form.append('model', value);
        add(after);
        const request = new Response(form);
        const type = request.headers.get('content-type') ?? '';
        const body = Buffer.from(await request.arrayBuffer());
        const expected = String(
          (await new Response(body, { headers: { 'content-type': type } }).formData()).get('model'),
        );
        expect(readFormField(body, type, 'model')).toBe(expected);
      }),
    );
  });

  it.each([
    ['a quoted boundary', `${MODEL}${END}`, 'multipart/form-data; boundary="X"'],
    [
      'a type of its own',
      `${part('content-disposition: form-data; name="model"\r\ncontent-type: text/plain', 'whisper-1')}${END}`,
    ],
    [
      'an empty file before it',
      `${part('Content-Disposition: form-data; name="file"; filename=""', '')}${MODEL}${END}`,
    ],
  ])('is read with %s', (_, text, type = TYPE) => {
    expect(read(text, type)).toBe('whisper-1');
  });

  it.each([
    ['no such field', `${field('language', 'en')}${END}`, 'model: Field required'],
    ['two of them', `${MODEL}${field('model', 'other')}${END}`, 'model is there more than once'],
    [
      'a file of that name',
      `${part('Content-Disposition: form-data; name="model"; filename="a"', 'x')}${END}`,
      'is a file',
    ],
    ['no boundary', `${MODEL}${END}`, 'its content type has no boundary', 'multipart/form-data'],
    ['a preamble', `Hello\r\n${MODEL}${END}`, 'does not begin with its boundary'],
    ['no end', MODEL, 'its boundary stands inside a part|it has no end'],
    [
      'a part hidden after a line feed',
      `${field('file', 'a\n--X\nContent-Disposition: form-data; name="model"\n\nb')}${MODEL}${END}`,
      'stands inside a part',
    ],
    [
      'a second name',
      `${part('Content-Disposition: form-data; name="a"; name="model"', 'b')}${MODEL}${END}`,
      'no readable name',
    ],
    [
      'a name in another encoding',
      `${part("Content-Disposition: form-data; name*=utf-8''model", 'b')}${MODEL}${END}`,
      'no readable name',
    ],
    [
      'an escaped name',
      `${part('Content-Disposition: form-data; name="mod\\el"', 'b')}${MODEL}${END}`,
      'no readable name',
    ],
    [
      'a folded header',
      `${part('Content-Disposition: form-data;\r\n name="model"', 'b')}${MODEL}${END}`,
      'no readable name',
    ],
    [
      'two dispositions',
      `${part('Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="model"', 'b')}${MODEL}${END}`,
      'no readable name',
    ],
    ['no headers', `--X\r\n\r\nb\r\n${MODEL}${END}`, 'no readable name'],
  ])('is refused with %s', (_, text, problem, type = TYPE) => {
    expect(() => read(text, type)).toThrow(new RegExp(problem));
  });

  it('is read in time that grows with the body', () => {
    const file = 'X-'.repeat(2_000_000);
    expect(read(`${field('file', file)}${MODEL}${END}`)).toBe('whisper-1');
    expect(() => read(field('a', '').repeat(5_000))).toThrow("can't be read");
  });
});
