// Schemas and values against ajv, and @cfworker/json-schema where the two disagree; and, where QUARTERMASTER_SCHEMA_SUITE names a checkout of it, the official test suite. What our
// interpreter can't decide it lets through and says so; it may never be silent where the other one refuses.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { checkValue } from '@quartermaster/host/schema';
import { Ajv2020 } from 'ajv/dist/2020.js';

const VALUES_PER_SCHEMA = 12;
const NAMES = ['a', 'b', 'constructor', 'é'];
const SCALARS = [null, true, false, 0, 1, 2, -3, 1.5, '', 'a', 'ab', 'a\n', '😀', '12'];
/** Most schemas of the suite leave it to their folder to say which draft they are of. */
const DRAFTS = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft6: 'http://json-schema.org/draft-06/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
};
/** Of the official suite: what is fetched, and what is an annotation for us. */
const NOT_SERVED = /(?:refRemote|vocabulary|format|content|\$schema|optional)/;

export async function fuzz(random, count) {
  const problems = [];
  let undecided = 0;
  for (let done = 0; done < count; ) {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, ownProperties: true });
    const schema = {
      $defs: { text: { type: 'string' }, short: { maxProperties: 1, maxItems: 1 } },
      ...schemaIn(random, 3),
    };
    let isValid;
    try {
      isValid = ajv.compile(schema);
    } catch {
      done += 1;
      continue;
    }
    for (let turn = 0; turn < VALUES_PER_SCHEMA && done < count; turn += 1, done += 1) {
      const value = valueIn(random, 3);
      const { kind, unchecked } = checkValue(schema, value);
      if (unchecked.length > 0) undecided += 1;
      else if ((kind === 'good') !== ask(isValid, value) && (kind === 'good') !== isValidTo(schema, value)) {
        problems.push(`${JSON.stringify(schema)} with ${JSON.stringify(value)}: ${kind}, and two others disagree`);
      }
    }
  }
  const official = runSuite(process.env.QUARTERMASTER_SCHEMA_SUITE, problems);
  return { cases: count + official.cases, problems, note: `${undecided} undecided; ${official.note}` };
}

let suite;

/** Once, however many rounds there are. */
function runSuite(folder, problems) {
  if (folder === undefined || !existsSync(folder)) return { cases: 0, note: 'official suite: not given' };
  if (suite !== undefined) return { ...suite, cases: 0 };
  let cases = 0;
  let undecided = 0;
  for (const [draft, $schema] of Object.entries(DRAFTS)) {
    const place = join(folder, 'tests', draft);
    for (const file of readdirSync(place).filter((name) => name.endsWith('.json') && !NOT_SERVED.test(name))) {
      for (const { description, schema, tests } of JSON.parse(readFileSync(join(place, file), 'utf8'))) {
        if (typeof schema !== 'object' || NOT_SERVED.test(description)) continue;
        for (const { description: what, data, valid } of tests) {
          cases += 1;
          const { kind, unchecked } = checkValue({ $schema, ...schema }, data);
          if (kind === 'good' && !valid && unchecked.length > 0) undecided += 1;
          else if ((kind === 'good') !== valid)
            problems.push(`official suite: ${draft}/${file}: ${description}: ${what}: ${kind}`);
        }
      }
    }
  }
  suite = { cases, note: `official suite: ${cases} cases, ${undecided} let through with a note` };
  return suite;
}

/** Undefined where the code that ajv made of a schema fails by itself. */
function ask(isValid, value) {
  try {
    return isValid(value);
  } catch {
    return undefined;
  }
}

/** Asked where ajv disagrees: it has faults of its own, with annotations above all. */
function isValidTo(schema, value) {
  return new Validator(schema, '2020-12').validate(value).valid;
}

function schemaIn(random, depth) {
  const part = () => (depth === 0 || random.isOne(4) ? random.isOne(8) || {} : schemaIn(random, depth - 1));
  const parts = () => [part(), ...random.list(1, part)];
  const small = () => random.whole(4);
  const keywords = {
    type: () => random.pick(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object', ['string', 'null']]),
    enum: () =>
      [valueIn(random, 1), valueIn(random, 1)].filter(
        (one, at, all) => at === 0 || JSON.stringify(one) !== JSON.stringify(all[0]),
      ),
    const: () => valueIn(random, 1),
    minimum: small,
    exclusiveMaximum: small,
    minLength: small,
    maxLength: small,
    minItems: small,
    maxItems: small,
    maxProperties: small,
    multipleOf: () => random.pick([1, 2, 0.5]),
    pattern: () => random.pick(['^a', 'a$', '^.$', '\\d+', '[^a]']),
    uniqueItems: () => true,
    required: () => [random.pick(NAMES)],
    properties: () => Object.fromEntries(random.list(2, () => [random.pick(NAMES), part()])),
    patternProperties: () => ({ '^a': part() }),
    additionalProperties: part,
    propertyNames: part,
    prefixItems: parts,
    items: part,
    contains: part,
    minContains: small,
    dependentRequired: () => ({ a: ['b'] }),
    dependentSchemas: () => ({ a: part() }),
    allOf: parts,
    anyOf: parts,
    oneOf: parts,
    not: part,
    $ref: () => random.pick(['#/$defs/text', '#/$defs/short']),
  };
  // ajv passes over an `if` that stands alone, whose annotations count.
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  const condition = random.isOne(10) ? { if: part(), then: part(), else: part() } : {};
  const drawn = Object.fromEntries(
    [1, ...random.list(2, () => 1)]
      .map(() => random.pick(Object.entries(keywords)))
      .map(([name, make]) => [name, make()]),
  );
  return { ...drawn, ...condition };
}

function valueIn(random, depth) {
  const kind = depth === 0 ? 0 : random.whole(4);
  if (kind < 2) return random.pick(SCALARS);
  if (kind === 2) return random.list(3, () => valueIn(random, depth - 1));
  return Object.fromEntries(random.list(3, () => [random.pick(NAMES), valueIn(random, depth - 1)]));
}
