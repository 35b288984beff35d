import { readdirSync, readFileSync } from 'node:fs';
import { createSnapshot, parseTools } from '@quartermaster/core';
import { searchText } from '@quartermaster/core/catalog';
import { embeddedModel } from '@quartermaster/semantic';

/** Tools of a catalog: the sample's services in groups, all of them, and all of them among the project's invented ones. */
const SIZES = [100, 1_000, 10_000];
/** From this cosine on, a tool of another service may do what the one that was taken out did, and its service goes too. */
const TWIN = 0.6;
const MOST_REQUESTS = 400;

/**
 * Catalogs of each size with requests for the sample's services. Each request is asked with the service that it is for, and without it and
 * those that have a tool much like the one that is asked for: `allow` tells which tools are left.
 */
export function makeMixedCatalogs({ tools, queries }) {
  const asked = queries.filter(({ relevant }) => relevant.length > 0);
  const servers = [...new Set(tools.map(({ server }) => server))];
  const crowd = readCrowd(new Set(servers));
  return SIZES.flatMap((size) => {
    const groups =
      size < tools.length ? inGroups(servers, Math.round((size * servers.length) / tools.length)) : [servers];
    return groups.map((group) => {
      const own = tools.filter(({ server }) => group.includes(server));
      const snapshot = createSnapshot([...own, ...crowd.slice(0, Math.max(0, size - own.length))], {
        maxTools: size * 2,
      });
      const mine = asked.filter(({ relevant }) => relevant.every((id) => group.includes(id.split('/')[0])));
      const step = Math.max(1, Math.floor((mine.length * groups.length) / MOST_REQUESTS));
      return {
        size,
        snapshot,
        requests: withAllowed(
          snapshot,
          mine.filter((_, at) => at % step === 0),
        ),
      };
    });
  });
}

function withAllowed(snapshot, queries) {
  const model = embeddedModel();
  const vectors = snapshot.tools.map((tool) => model.tool(searchText(tool)));
  return queries.map(({ query, relevant }) => {
    const away = new Set(relevant.map((id) => id.split('/')[0]));
    const gold = snapshot.tools.flatMap((tool, at) => (relevant.includes(tool.id) ? [vectors[at]] : []));
    for (const [at, { server }] of snapshot.tools.entries()) {
      if (!away.has(server) && gold.some((vector) => cosine(vector, vectors[at]) >= TWIN)) away.add(server);
    }
    return { query, relevant, allow: (tool) => !away.has(tool.server) };
  });
}

/** The tools of the services that were written as training data, one service after the other in a fixed disorder; none of a service of the sample. */
function readCrowd(known) {
  const folder = new URL('../packages/semantic/training/services/', import.meta.url);
  const services = readdirSync(folder)
    .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))
    .filter(({ server }) => !known.has(server));
  const vendors = new URL('../packages/semantic/training/vendors/', import.meta.url);
  services.push(
    ...readdirSync(vendors)
      .flatMap((name) => readFileSync(new URL(name, vendors), 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line))
      .filter(({ server }) => !known.has(server)),
  );
  const disordered = services.map((service, at) => [(at * 7_919) % services.length, service]).sort(([a], [b]) => a - b);
  const lines = disordered.flatMap(([, { server, tools }]) =>
    tools.map(({ parameters = {}, ...tool }) => ({ ...tool, server, inputSchema: schemaOf(parameters) })),
  );
  const seen = new Set();
  return parseTools(lines).tools.filter(({ id }) => !seen.has(id) && seen.add(id));
}

function schemaOf(parameters) {
  const described = Object.entries(parameters).map(([name, description]) => [name, description ? { description } : {}]);
  return { type: 'object', properties: Object.fromEntries(described) };
}

function inGroups(items, size) {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function cosine(left, right) {
  let [sum, a, b] = [0, 0, 0];
  for (let i = 0; i < left.length; i += 1) {
    sum += left[i] * right[i];
    a += left[i] * left[i];
    b += right[i] * right[i];
  }
  return sum / Math.sqrt(a * b || 1);
}
