import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeTaskId, encodeTask, encodeTaskId } from './task-ids.ts';

describe('task ids', () => {
  it('map back to the server and its own id, whatever they look like', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (server, taskId) => {
        expect(decodeTaskId(encodeTaskId(server, taskId))).toEqual({ server, taskId });
      }),
    );
  });

  it.each([undefined, 7, '', 'no-server', '%/x'])('%j is nobody’s', (id) => {
    expect(decodeTaskId(id)).toBeUndefined();
  });

  it('are replaced everywhere in a message', () => {
    const related = 'io.modelcontextprotocol/related-task';
    const message = {
      taskId: '1',
      task: { taskId: '2', status: 'working' },
      tasks: [{ taskId: '3' }],
      _meta: { other: true, [related]: { taskId: '4' } },
    };
    expect(encodeTask(message, 'a b')).toEqual({
      taskId: 'a%20b/1',
      task: { taskId: 'a%20b/2', status: 'working' },
      tasks: [{ taskId: 'a%20b/3' }],
      _meta: { other: true, [related]: { taskId: 'a%20b/4' } },
    });
  });
});
