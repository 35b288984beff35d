import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '@quartermaster/core/internal';
import type { EmbedOptions, RerankerEmbedder } from '@quartermaster/core/search';

/**
 * An embedder whose vectors are kept between runs, by the SHA-256 of their text: measuring the same sets again embeds
 * nothing. The file belongs to the model's vectors, not to its name: a model that returns another vector for the first
 * text gets a separate file.
 *
 * The file is a run of records, a hash of 32 bytes and the vector as 32-bit floats; a record cut off at the end of the file
 * is written again.
 */
export async function cacheEmbeddings(embedder: RerankerEmbedder, folder: string): Promise<RerankerEmbedder> {
  const [probe = []] = (await embedder.doEmbed({ values: [PROBE] })).embeddings;
  const recordBytes = HASH_BYTES + 4 * probe.length;
  const print = hashOf(Buffer.from(Float32Array.from(probe).buffer)).slice(0, PRINT_CHARACTERS);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${embedder.modelId.replaceAll(/[^\w.-]/g, '_')}-${print}.vectors`);
  const known = readRecords(file, recordBytes);

  async function embedMissing({ values, abortSignal }: EmbedOptions): Promise<void> {
    const missing = [...new Set(values)].filter((text) => !known.has(hashOf(text)));
    if (missing.length === 0) return;
    const { embeddings } = await embedder.doEmbed({
      values: missing,
      ...defined({ abortSignal }),
    });
    const records = missing.map((text, at) => {
      const vector = Float32Array.from(embeddings[at] ?? []);
      known.set(hashOf(text), vector);
      return Buffer.concat([Buffer.from(hashOf(text), 'hex'), new Uint8Array(vector.buffer)]);
    });
    appendFileSync(file, Buffer.concat(records));
  }

  return {
    ...embedder,
    async doEmbed(options) {
      await embedMissing(options);
      return { embeddings: options.values.map((text) => [...(known.get(hashOf(text)) ?? [])]) };
    },
  };
}

function readRecords(file: string, recordBytes: number): Map<string, Float32Array> {
  const known = new Map<string, Float32Array>();
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  // Anything after a record that was cut off would be read at the wrong offset.
  if (bytes.length % recordBytes !== 0) appendFileSync(file, Buffer.alloc(recordBytes - (bytes.length % recordBytes)));
  for (let at = 0; at + recordBytes <= bytes.length; at += recordBytes) {
    const vector = Uint8Array.prototype.slice.call(bytes, at + HASH_BYTES, at + recordBytes);
    known.set(bytes.toString('hex', at, at + HASH_BYTES), new Float32Array(vector.buffer));
  }
  return known;
}

function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A text that all models can read. */
const PROBE = 'send a message to a channel';
const PRINT_CHARACTERS = 16;
const HASH_BYTES = 32;
