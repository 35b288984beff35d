import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenRequests } from './open-requests.ts';

const ID = fc.oneof(fc.constantFrom('', 'r', 'req_1', 'req_2', 'req_12'), fc.stringMatching(/^req_[0-9a-f]{1,4}$/));

describe('requests while they are answered', () => {
  it('are found by their ids, as in a map', () => {
    const steps = fc.array(fc.record({ act: fc.constantFrom('add', 'take', 'get'), requestId: ID }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (list) => {
        const open = new OpenRequests<{ readonly requestId: string }>();
        const known = new Map<string, { readonly requestId: string }>();
        for (const { act, requestId } of list) {
          if (act === 'add' && !known.has(requestId)) {
            const value = { requestId };
            open.add(value);
            known.set(requestId, value);
          }
          expect(act === 'take' ? open.take(requestId) : open.get(requestId)).toBe(known.get(requestId));
          if (act === 'take') known.delete(requestId);
        }
        expect(new Set(open)).toEqual(new Set(known.values()));
      }),
    );
  });
});
