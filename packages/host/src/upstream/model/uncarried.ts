import { UpstreamError } from '@quartermaster/core/errors';

/** The refusal of a part of a conversation that the host of this model can't be told. */
export function uncarried(field: string, part: string): UpstreamError {
  const message = `${field}: ${part.slice(0, 300)} can't be passed on to the host of this model; leave it out`;
  return new UpstreamError({ code: 'unsupported', message });
}
