import { describe, expect, it } from 'vitest';
import { drawRetrieval } from './draw-retrieval.fixture.ts';
import { readSource } from './read-source.fixture.ts';
import { renderCommandLine } from './render-command-line.fixture.ts';
import { renderConfiguration } from './render-configuration.fixture.ts';
import { renderErrors } from './render-errors.fixture.ts';
import { renderEvents } from './render-events.fixture.ts';
import { renderHttpApi } from './render-http-api.fixture.ts';
import { renderMetrics } from './render-metrics.fixture.ts';

const PAGES: readonly (readonly [string, () => string | Promise<string>])[] = [
  ['command-line', renderCommandLine],
  ['configuration', renderConfiguration],
  ['errors', renderErrors],
  ['events', renderEvents],
  ['http-api', renderHttpApi],
  ['metrics', renderMetrics],
];

/** To update the pages: npm run docs -- reference */
describe.each(PAGES)('docs/reference/%s.md', (name, render) => {
  it('is what the code says', async () => {
    const text = await render();
    expect(text).not.toContain('MISSING');
    await expect(text).toMatchFileSnapshot(`../../docs/reference/${name}.md`);
  });
});

describe('docs/images/retrieval.svg', () => {
  it('shows the table of docs/measured.md', async () => {
    const picture = drawRetrieval(readSource('docs/measured.md'));
    expect(picture.match(/<rect/g)).toHaveLength(1 + 3 + 3 * 6);
    await expect(picture).toMatchFileSnapshot('../../docs/images/retrieval.svg');
  });
});

describe('the reference', () => {
  it('finds something of everything', async () => {
    expect(renderConfiguration().match(/^\| `/gm)?.length).toBeGreaterThan(80);
    expect(renderErrors()).toContain('| `invalid_tool` | ');
    expect(renderErrors()).not.toMatch(/^\| `\w+` \| {2}\|$/m);
    expect(renderEvents().match(/^## /gm)?.length).toBeGreaterThan(6);
    expect(renderMetrics().match(/quartermaster_/g)?.length).toBeGreaterThan(15);
    expect((await renderCommandLine()).match(/^## /gm)?.length).toBeGreaterThan(20);
  });
});
