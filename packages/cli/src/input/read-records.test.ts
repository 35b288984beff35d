import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type JsonRecord, readRecords } from './read-records.ts';

const SMALL = { fileBytes: 1_000, recordBytes: 100 };

describe('readRecords', () => {
  it.each([
    ['one value per line', '{"a":1}\n{"a":2}\n', [1, 2]],
    ['blank lines and CRLF', '\r\n{"a":1}\r\n\r\n{"a":2}', [2, 4]],
    ['several blank lines', '\n\n\n{"a":1}\n\n\n\n{"a":2}\n\n', [4, 8]],
    ['one document over several lines', '{\n"a": 1\n}\n', [1]],
    ['a document after blank lines', '\n\n[\n1\n]', [3]],
    ['a byte order mark', '\uFEFF{"a":1}', [1]],
    ['nothing', ' \n \n', []],
  ])('reads %s', async (_, text, lines) => {
    const records = await collect(text);
    expect(records.map((record) => record.line)).toEqual(lines);
  });

  it('reads gzip regardless of file name and chunk boundaries', async () => {
    const zipped = gzipSync('{"a":1}\n{"a":2}\n');
    const records: JsonRecord[] = [];
    for await (const record of readRecords(bytewise(zipped), 'x.json')) records.push(record);
    expect(records.map((record) => record.value)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('joins characters that are split between chunks', async () => {
    const records: JsonRecord[] = [];
    for await (const record of readRecords(bytewise(Buffer.from('["東京 😀"]')), 'x.json')) records.push(record);
    expect(records[0]?.value).toEqual(['東京 😀']);
  });

  it.each([
    ['x.json', '{\n"a": 1,\n}', 'x.json:3: invalid JSON at "}"'],
    ['x.json', '\n{\n\n\n"a" 1}', 'x.json:5: invalid JSON at "1}"'],
    ['x.json', 'hello', 'x.json:1: invalid JSON at "hello"'],
    ['x.json', '[\n1,', 'x.json:2: invalid JSON: it ends too early'],
    ['x.jsonl', '{\n"a": 1}', 'x.jsonl:1: invalid JSON: it ends too early'],
    ['x.jsonl', '{"a":1}\n{"a":}\n', 'x.jsonl:2: invalid JSON at "}"'],
    ['x.json', '{"a":1}\n\nnope', 'x.json:3: invalid JSON at "nope"'],
    ['x.json', `"${'a'.repeat(200)}"`, 'x.json:1: the line is longer than 0 MiB, the limit'],
    ['x.json', `[\n${'1,\n'.repeat(99)}1]`, /x\.json:1: the JSON document is larger than .* one value per line/],
    ['x.json', `[\n${'\n'.repeat(200)}1]`, /x\.json:1: the JSON document is larger than/],
    ['x.jsonl', '{"a":1}\n'.repeat(200), /x\.jsonl: the content is larger than .* for one file/],
    ['x.json', Buffer.from([0xff, 0xfe, 0x41]), 'x.json:1: the line is not UTF-8 text'],
    ['x.gz', gzipSync('{"a":1}').subarray(0, 20), /x\.gz: the gzip data is broken \(unexpected end of file\)/],
    ['x.gz', Buffer.from([0x1f, 0x8b, 1, 2, 3, 4]), /x\.gz: the gzip data is broken/],
    ['bomb.gz', gzipSync(Buffer.alloc(50_000_000, 0x0a)), /bomb\.gz: the content is larger than/],
  ])('refuses %s with %j in one sentence', async (file, content, message) => {
    await expect(collect(content, file)).rejects.toThrow(message);
  });
});

async function collect(content: string | Uint8Array, file = 'x.json'): Promise<JsonRecord[]> {
  const records: JsonRecord[] = [];
  for await (const record of readRecords(once(content), file, SMALL)) records.push(record);
  return records;
}

async function* once(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof content === 'string' ? Buffer.from(content) : content;
}

async function* bytewise(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < content.length; i += 1) yield content.subarray(i, i + 1);
}
