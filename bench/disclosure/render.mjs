import { drawBars } from '../draw-bars.mjs';
import { ASSEMBLED_TOOLS, CONVERSATIONS, SAMPLES, TARGET_MS, TARGETS, TURNS } from './settings.mjs';

export function renderDisclosure({ catalog, scripts, bounds, times }) {
  const { snapshot, servers, isSample } = catalog;
  return [
    '# What the model reads',
    '',
    `${thousands(snapshot.tools.length)} tools of ${servers} ${isSample ? 'services (the sample catalog)' : 'real servers'}. ${CONVERSATIONS} scripted conversations of ${TURNS} turns over the Messages API. The user asks for a tool in words of its description; the model searches until it has seen the tool (the second time by its name), calls it, and answers. The figures count everything that the model reads in every request: prompt, definitions, history and search results, estimated as characters / 4. A referenced definition counts wherever it is referenced.`,
    '',
    "A *turn* is everything from a user's message to the answer that ends it, with all its requests added up: two if the tool is known (one that the model answers with the call, one that it answers with text), and one more for each search. A form that needs a search therefore reads its prefix three times where inline reads it twice. Tokens per turn include that; tokens per request don't. There is no discount for the provider's cache.",
    '',
    ...scripts.flatMap((script) => renderScript(script, isSample)),
    '## What a stub shows of a description',
    '',
    `Another tool in every turn. Descriptions in stubs are cut to a number of characters, after a sentence or a word; the answer to a search has the whole description. The default is in bold.`,
    '',
    '| characters | shown whole | first sentence whole | less per request | less per turn | less per turn with prefetch |',
    '|---:|---:|---:|---:|---:|---:|',
    ...bounds.map(
      (row) =>
        `| ${boundOf(row)} | ${percent(row.whole)} | ${percent(row.first)} | ${percent(row.perRequest)} | ${percent(row.perTurn)} | ${percent(row.withPrefetch)} |`,
    ),
    '',
    '## Building a request',
    '',
    `${thousands(ASSEMBLED_TOOLS)} synthetic tools in the catalog, a conversation of ${TURNS} turns with a search each. Measured: plan, memory, view and rendering with a known snapshot, ${SAMPLES} times, wall clock.`,
    '',
    '| form | wire | p50, ms | p99, ms | target |',
    '|---|---|---:|---:|---|',
    ...times.map(
      (row) =>
        `| ${row.name} | ${row.wire} | ${row.p50.toFixed(3)} | ${row.p99.toFixed(3)} | p50 ≤ ${TARGET_MS} ms: ${verdict(row.p50 <= TARGET_MS)} |`,
    ),
  ].join('\n');
}

function boundOf({ bound, isDefault }) {
  const text = Number.isFinite(bound) ? thousands(bound) : 'no limit';
  return isDefault ? `**${text}**` : text;
}

function renderScript({ turnsPerTool, inline, rows }, isSample) {
  const less = (row, key) => 1 - row[key] / inline[key];
  const target = (row) =>
    `≥ ${TARGETS[row.name] * 100}%: ${verdict(less(row, 'perRequest') >= TARGETS[row.name])} per request, ${verdict(less(row, 'perTurn') >= TARGETS[row.name])} per turn`;
  return [
    turnsPerTool === 1 ? '## Another tool in every turn' : `## Another tool every ${turnsPerTool} turns`,
    '',
    `| form | prefetch | searches per turn | requests per turn | tokens per request | less | tokens per turn | less |${isSample ? '' : ' target |'}`,
    `|---|---|---:|---:|---:|---:|---:|---:|${isSample ? '' : '---|'}`,
    `| all inline | | | ${inline.requests.toFixed(2)} | ${thousands(inline.perRequest)} | | ${thousands(inline.perTurn)} | |${isSample ? '' : ' |'}`,
    ...rows.map(
      (row) =>
        `| ${row.name} | ${row.prefetch ? 'yes' : 'no'} | ${row.searches.toFixed(2)} | ${row.requests.toFixed(2)} | ${thousands(row.perRequest)} | ${percent(less(row, 'perRequest'))} | ${thousands(row.perTurn)} | ${percent(less(row, 'perTurn'))} |${isSample ? '' : ` ${target(row)} |`}`,
    ),
    '',
    ...rows
      .filter((row) => row.unfound > 0)
      .map(
        (row) =>
          `In the form ${row.name}${row.prefetch ? ' with prefetch' : ''}, ${row.unfound} tools were never found.\n`,
      ),
  ];
}

export function drawDisclosure(scripts) {
  return drawBars(
    scripts.map(({ turnsPerTool, inline, rows }) => ({
      title: `Tokens that the model reads per turn, another tool ${turnsPerTool === 1 ? 'in every turn' : `every ${turnsPerTool} turns`}`,
      bars: [
        { label: 'all inline', value: inline.perTurn },
        ...rows.map((row) => ({
          label: `${row.name}${row.prefetch ? ', prefetch' : ''}`,
          value: row.perTurn,
          isOurs: true,
        })),
      ],
    })),
    { isLinear: true },
  );
}

function percent(share) {
  return `${(share * 100).toFixed(2)}%`;
}

function verdict(isMet) {
  return isMet ? 'met' : 'missed';
}

function thousands(value) {
  return Math.round(value).toLocaleString('en-US');
}
