import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createWireLog } from './wire-log.ts';

const MEBIBYTE = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('what models were sent', () => {
  it('takes no more memory than what is shown of it, however long the requests were', () => {
    const log = createWireLog(() => 0);
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < 20; index += 1) {
      const asked = { requestId: `req_${index}`, model: 'm', upstream: 'u', dialect: 'anthropic' } as const;
      const observation = log.begin({ ...asked, request: { messages: `${index}`.repeat(8 * MEBIBYTE) } });
      observation?.onWhole({ text: `${index}`.repeat(8 * MEBIBYTE) });
      observation?.end();
    }
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * MEBIBYTE);
    const [round] = log.read('req_19') ?? [];
    expect(round).toMatchObject({ isCut: true, request: expect.stringMatching(/^\{"messages":"1919/) });
    expect([round?.request.length, round?.response.length]).toEqual([MEBIBYTE, MEBIBYTE]);
  });
});
