// Streams of server-sent events, cut into chunks anywhere and damaged: what is read is what the format says of the whole text.
import { readEvents } from '@quartermaster/core/internal';

const PIECES = [
  'data: {"a":1}',
  'data:',
  'data',
  'data: é😀',
  ': ping',
  'event: x',
  'id: 7',
  'datax: c',
  '',
  '\ufeff',
  'data:  two',
];
const ENDS = ['\n', '\r\n', '\r'];

export async function fuzz(random, count) {
  const problems = [];
  for (let done = 0; done < count; done += 1) {
    const text = random.list(9, () => random.pick(PIECES) + (random.isOne(12) ? '' : random.pick(ENDS))).join('');
    const bytes = new TextEncoder().encode(text);
    const read = [];
    const options = { maxEventLength: 10_000, tooLong: () => new RangeError('too long') };
    for await (const data of readEvents(bodyOf(random, bytes), options)) read.push(data);
    if (JSON.stringify(read) !== JSON.stringify(readWhole(text)))
      problems.push(`${JSON.stringify(text)}: ${JSON.stringify(read)}`);
  }
  return { cases: count, problems };
}

function bodyOf(random, bytes) {
  let start = 0;
  return new ReadableStream({
    pull(controller) {
      if (start >= bytes.length) return controller.close();
      const end = start + 1 + random.whole(7);
      controller.enqueue(bytes.slice(start, end));
      start = end;
    },
  });
}

/** What the format says, without any streaming in it. */
function readWhole(text) {
  const events = [];
  let data = [];
  let event = '';
  for (const line of [...text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/), '']) {
    const [, field, value = ''] = /^(data|event)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
    if (line !== '') continue;
    if (data.length > 0) events.push({ event: event || 'message', data: data.join('\n') });
    data = [];
    event = '';
  }
  return events;
}
