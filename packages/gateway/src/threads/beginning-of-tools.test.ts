import { describe, expect, it } from 'vitest';
import { beginningOfTools } from './beginning-of-tools.ts';

const TOOLS = '[{"name":"get_weather"}]';

function bodyWith(messagesBytes: number): Buffer {
  return Buffer.from(`{"messages":["${'x'.repeat(messagesBytes)}"],"tools":${TOOLS}}`);
}

describe('the beginning of the tools', () => {
  it.each([0, 100_000, 1_500_000])('is found after %i bytes of messages', (messagesBytes) => {
    expect(String(beginningOfTools(bodyWith(messagesBytes)))).toBe(`${TOOLS}}`);
  });

  it('is bounded', () => {
    expect(beginningOfTools(Buffer.from(`{"tools":[${'1,'.repeat(10_000)}1]}`))).toHaveLength(4096);
  });

  it('is that of the body where more comes before them: the main thread does not read a large body to its end', () => {
    const body = bodyWith(10_000_000);
    expect(beginningOfTools(body).equals(body.subarray(0, 4096))).toBe(true);
  });
});
