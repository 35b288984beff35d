import { UpstreamEventError } from '@quartermaster/wires/anthropic';
import { describe, expect, it } from 'vitest';
import { ApiError, faultOf } from '../http/index.ts';
import { mainErrors, workerErrors } from './thread-errors.ts';

function crossed(error: unknown): ApiError {
  const read = mainErrors().read(structuredClone(workerErrors.write(error)));
  if (!(read instanceof ApiError)) throw new Error('It is no answer');
  return read;
}

describe('an error of a worker', () => {
  it('that is internal tells the log what it was and where, and none of its words', () => {
    const error = crossed(new TypeError('two lines\n    at this'));
    expect(error).toMatchObject({ status: 500, message: 'Internal error' });
    expect(faultOf(error)).toEqual({
      error: 'TypeError',
      place: expect.stringMatching(/^at .*thread-errors\.test\.ts/),
    });
  });

  it('that is the upstream’s is no fault', () => {
    const error = crossed(new UpstreamEventError({ type: 'api_error', message: 'Oops.' }));
    expect(error).toMatchObject({ status: 500, type: 'api_error', message: 'Oops.' });
    expect(faultOf(error)).toEqual({});
  });

  it('that is meant for the client is passed on unchanged', () => {
    const named = { code: 'invalid_request', hostType: 'requests', param: 'tools' };
    const options = { ...named, details: { error_code: 'a' }, headers: { 'retry-after': '1' } };
    expect(crossed(new ApiError(429, 'Later', options))).toMatchObject({ status: 429, message: 'Later', ...options });
  });
});
