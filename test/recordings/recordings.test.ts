import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { AI_SDK_CLIENT, type Ask, SDK_CLIENTS } from './clients.fixture.ts';
import { comparable, comparableAfterSearch, differences } from './compare.fixture.ts';
import { gatewayTo } from './gateway-to.fixture.ts';
import { recordedHost } from './recorded-host.fixture.ts';
import { answerWith, isRecord, type Recording, readRecordings } from './recording.fixture.ts';
import { searchRound } from './search-round.fixture.ts';

/** `npm run check:recordings -- FOLDER` checks another folder. */
const FOLDER = process.env.RECORDINGS ?? fileURLToPath(new URL('samples', import.meta.url));

const { recordings: RECORDINGS, notReplayed: NOT_REPLAYED } = readRecordings(FOLDER);

it('there are recordings to replay, and of every other file it is known why not', () => {
  if (process.env.RECORDINGS !== undefined) {
    const others = NOT_REPLAYED.map(({ name, reason }) => `  ${name}: ${reason ?? 'unknown'}`);
    console.log([`${RECORDINGS.length} responses replayed; ${NOT_REPLAYED.length} files not:`, ...others].join('\n'));
  }
  expect(RECORDINGS.length).toBeGreaterThan(0);
  expect(NOT_REPLAYED.filter(({ reason }) => reason === undefined)).toEqual([]);
});

interface Way {
  readonly name: string;
  readonly direct: Ask;
  readonly searching: Ask;
  readonly isPassedOn?: boolean;
}

function waysFor(recording: Recording): readonly Way[] {
  const sdk = SDK_CLIENTS[recording.dialect];
  const hasSurface = recording.dialect !== 'gemini' && recording.dialect !== 'interactions';
  return [
    ...(sdk === undefined ? [] : [{ name: "the SDK's adapter", ...sdk }]),
    ...(sdk === undefined || !hasSurface
      ? []
      : [{ name: 'the gateway', direct: sdk.direct, searching: throughGateway(sdk.direct) }]),
    { name: "the AI SDK's middleware", ...AI_SDK_CLIENT },
  ];
}

function throughGateway(ask: Ask): Ask {
  return async ({ url }, recording) => ask({ url: 'http://gateway.test', fetch: gatewayTo(url, recording) }, recording);
}

async function replay(ask: Ask, recording: Recording, hasSearch: boolean): Promise<unknown> {
  const { dialect, parts, isStream, status } = recording;
  const host = await recordedHost((request, turn) => {
    const isSearch = hasSearch && turn === 0;
    const round = isSearch ? searchRound(recording, searchNameIn(request)) : parts;
    return { ...answerWith(dialect, round, isStream), status: isSearch ? undefined : status };
  });
  const got = await ask(host, recording).catch((error: unknown) => ({ error: describeError(error) }));
  // The gateway repeats a request that a host refuses for now.
  if (status === undefined) expect(host.requests).toHaveLength(hasSearch ? 2 : 1);
  if (recording.hasSearched === true) expect(JSON.stringify(host.requests)).toContain('void_invoice');
  return got;
}

/** What a program can tell an error by. The gateway's requests have their own ids. */
function describeError(error: unknown): unknown {
  const { status, statusCode, type, code, param } = error as Readonly<Record<string, unknown>>;
  return { text: String(error).replace(/\breq_\w+/, 'req_'), status: status ?? statusCode, type, code, param };
}

/** What the client can't read when it comes from the provider itself is no measure. */
function expectSame(expected: unknown, got: unknown): void {
  if (hasFailed(expected) && !hasFailed(got)) return;
  const found = differences(expected, got);
  expect(found, found.join('\n')).toEqual([]);
}

function hasFailed(got: unknown): boolean {
  return isRecord(got) && (got.error !== undefined || (isRecord(got.message) && got.message.error !== undefined));
}

/** Under whatever name a search is offered to the model. */
function searchNameIn(request: unknown): string {
  const names: string[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    if (!isRecord(value)) return;
    if (typeof value.name === 'string') names.push(value.name);
    Object.values(value).forEach(collect);
  };
  collect(isRecord(request) ? [request.tools, request.toolConfig] : []);
  return names.find((name) => name.startsWith('tool_search')) ?? 'tool_search';
}

describe.each(RECORDINGS)('$name', (recording) => {
  describe.each(waysFor(recording))('through $name', ({ direct, searching, isPassedOn = false }) => {
    it('gives the client what the provider would have given', async () => {
      const expected = await replay(direct, recording, false);
      const got = await replay(searching, recording, false);
      expectSame(comparable(expected), comparable(got));
    });

    if (isPassedOn) return;

    // Where the client searches, we don't: its own search is in the history.
    if (recording.isClientSearch) {
      it("gives the same after the client's search", async () => {
        const searched = { ...recording, hasSearched: true };
        expectSame(
          comparable(await replay(direct, searched, false)),
          comparable(await replay(searching, searched, false)),
        );
      });
      return;
    }

    it('gives the same after a search', async () => {
      const expected = await replay(direct, recording, false);
      const got = await replay(searching, recording, true);
      const { hasContentAtStart } = recording;
      expectSame(
        comparableAfterSearch(expected, { isSearched: false, hasContentAtStart }),
        comparableAfterSearch(got, { isSearched: true, hasContentAtStart }),
      );
    });
  });
});
