import { createTool, searchText } from '../../catalog/index.ts';
import { runToEnd, stepThrough } from '../../slices.ts';
import { readIndexFile, writeIndexFile } from '../kept/index-file.ts';
import type { KeptPart } from '../kept/keep-index.ts';
import type { StaticEmbedder } from './embedder.ts';
import { type MarkedVectors, restoreVectorsInSteps } from './vector-index.ts';
import { signWords } from './vector-scan.ts';

/** The vectors of so many tools, by this model. */
export function keptVectors(count: number, embedder: StaticEmbedder): KeptPart<MarkedVectors> {
  const { dimensions } = embedder;
  return {
    version: () => `vectors.${VECTORS_VERSION}.${embedder.modelId}.${modelMark(embedder)}`,
    write: (key, { components, scales, signs, marks }) => writeIndexFile(key, [components, scales, signs, marks]),
    *read(bytes, key) {
      const sections = yield* readIndexFile(bytes, key);
      const [components, scales, signs, marks] = sections ?? [];
      if (components === undefined || scales === undefined || signs === undefined) return undefined;
      if (marks === undefined || sections?.length !== 4) return undefined;
      const fits =
        components.length === count * dimensions &&
        scales.length === count * 4 &&
        signs.length === count * signWords(dimensions) * 4 &&
        marks.length === count * 8;
      if (!fits) return undefined;
      const lengths = new Float32Array(scales.buffer, scales.byteOffset, count);
      if (!(yield* areScales(lengths))) return undefined;
      const restored = yield* restoreVectorsInSteps(
        { count, dimensions },
        {
          components: new Int8Array(components.buffer, components.byteOffset, components.length),
          scales: lengths,
          signs: new Int32Array(signs.buffer, signs.byteOffset, count * signWords(dimensions)),
        },
      );
      // A copy: a view would hold the whole file.
      return { ...restored, marks: new Uint32Array(marks.buffer, marks.byteOffset, 2 * count).slice() };
    },
  };
}

/** Goes up when vectors are written in another way. */
const VECTORS_VERSION = 2;

/** Of a unit vector the largest component is 1 at the most, which is written as 127. */
function* areScales(scales: Float32Array): Generator<void, boolean> {
  let isSound = true;
  yield* stepThrough(scales.length, (first) => {
    const end = Math.min(first + SCALES_PER_STEP, scales.length);
    for (let at = first; at < end; at += 1) isSound &&= (scales[at] as number) >= 0 && (scales[at] as number) <= 1;
    return end;
  });
  return isSound;
}

const SCALES_PER_STEP = 1 << 16;

const marks = new WeakMap<StaticEmbedder, string>();

/** What the model makes of one tool: vectors that another one made under the same name have another mark. */
function modelMark(embedder: StaticEmbedder): string {
  const known = marks.get(embedder);
  if (known !== undefined) return known;
  const file = runToEnd(writeIndexFile('', [embedder.tool(searchText(PROBE))]));
  const mark = [...new Uint32Array(file.buffer, 8, 2)].map((sum) => sum.toString(16).padStart(8, '0')).join('');
  marks.set(embedder, mark);
  return mark;
}

const PROBE = createTool({
  name: 'createInvoice',
  server: 'billing-api',
  description: 'Creates an invoice for a customer, and sends it by e-mail',
  schema: { type: 'object', properties: { dueDate: { type: 'string', description: 'When it has to be paid' } } },
});
