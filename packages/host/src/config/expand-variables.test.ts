import { describe, expect, it } from 'vitest';
import { load, problemsOf } from './config-folder.fixture.ts';

describe('variables', () => {
  const port = (value: string, env: Record<string, string> = {}) =>
    load(`listen: { port: ${value} }`, { env }).listen.port;

  it('can be texts, numbers and flags', () => {
    const upstreams = `upstreams: [{ models: [a], provider: "\${P}", references: "\${R:-true}", contextTokens: "\${C}", baseUrl: "http://\${H:-localhost}:\${N}/v1" }]`;
    expect(load(upstreams, { env: { P: 'openai', C: '1000', N: '1' } }).upstreams).toEqual([
      {
        models: ['a'],
        provider: 'openai',
        references: true,
        contextTokens: 1000,
        baseUrl: 'http://localhost:1/v1',
        toolSearch: 'local',
      },
    ]);
  });

  it('have a default that also applies to an empty variable', () => {
    expect(port(`"\${PORT:-81}"`)).toBe(81);
    expect(port(`"\${PORT:-81}"`, { PORT: '' })).toBe(81);
    expect(port(`"\${PORT:-81}"`, { PORT: '82' })).toBe(82);
    expect(port(`"\${env:PORT}"`, { PORT: '83' })).toBe(83);
  });

  it('are named in the problem if they are missing, for programs too', () => {
    const problem = { path: 'listen.port', line: 1, variable: 'PORT' };
    expect(() => port(`"\${PORT}"`)).toThrow(expect.objectContaining({ problems: [expect.objectContaining(problem)] }));
    expect(() => port('x')).toThrow(
      expect.objectContaining({ problems: [expect.not.objectContaining({ variable: expect.anything() })] }),
    );
  });

  it(`are not looked up on the prototype, and $\${ is plain text`, () => {
    expect(problemsOf(() => port(`"\${constructor}"`))).toEqual([
      expect.stringContaining('variable constructor, which is not set'),
    ]);
    expect(load(`listen: { host: "$\${A}" }`).listen.host).toBe(`\${A}`);
  });

  it('a quoted number is not a number unless it comes from a variable', () => {
    expect(problemsOf(() => port('"80"'))).toEqual([
      'quartermaster.yaml:1: listen.port is "80"; allowed: a whole number from 0 to 65535',
    ]);
  });
});
