/** Groups of tools with similar vectors: a search looks at the nearest groups only. All distances are counts of differing sign bits. */
export interface Clusters {
  readonly count: number;
  /** The cluster nearest to a vector's sign bits, which begin at `at`. */
  nearest(signs: Int32Array, at?: number): number;
}

/** @param middles the sign bits of each cluster's centre, one after the other */
export function openClusters(middles: Int32Array, words: number): Clusters {
  const count = middles.length / words;
  return {
    count,
    nearest(signs, at = 0) {
      let [best, least] = [0, Number.POSITIVE_INFINITY];
      for (let cluster = 0; cluster < count; cluster += 1) {
        const distance = differences(middles, cluster * words, signs, at, words);
        if (distance < least) [best, least] = [cluster, distance];
      }
      return best;
    },
  };
}

/** The clusters nearest to a request's vector: by the sum of its components, each with the sign of the centre's bit. */
export function nearestClusters(middles: Int32Array, vector: Float32Array, wanted: number): number[] {
  const words = Math.ceil(vector.length / 32);
  const scores = Array.from({ length: middles.length / words }, (_, cluster) => {
    let score = 0;
    for (let i = 0; i < vector.length; i += 1) {
      const isNegative = ((middles[cluster * words + (i >>> 5)] as number) >>> (i & 31)) & 1;
      score += isNegative === 1 ? -(vector[i] as number) : (vector[i] as number);
    }
    return { cluster, score };
  });
  scores.sort((left, right) => right.score - left.score);
  return scores.slice(0, wanted).map(({ cluster }) => cluster);
}

/** How many clusters a catalog of this size has; 0 for one that is searched as a whole. */
export function clusterCountFor(toolCount: number): number {
  return toolCount < LEAST_CLUSTERED ? 0 : 2 ** Math.floor(Math.log2(Math.sqrt(toolCount)));
}

/** Whether a catalog has grown so much that other clusters serve it better. */
export function needsClusters(toolCount: number, clusteredCount: number): boolean {
  return toolCount >= LEAST_CLUSTERED && toolCount >= clusteredCount * GROWTH;
}

const LEAST_CLUSTERED = 40_000;
const GROWTH = 4;

/**
 * Centres of clusters for a sample of sign bits: Lloyd's algorithm, where the centre has the bit that most members have. Yields
 * where it may pause. The same sample gives the same centres.
 */
export function* findMiddles(
  sample: Int32Array,
  { words, count }: { readonly words: number; readonly count: number },
): Generator<void, Int32Array> {
  const size = sample.length / words;
  const middles = new Int32Array(count * words);
  for (let cluster = 0; cluster < count; cluster += 1) {
    const from = Math.floor((cluster * size) / count);
    middles.set(sample.subarray(from * words, (from + 1) * words), cluster * words);
  }
  const clusters = openClusters(middles, words);
  for (let round = 0; round < ROUNDS; round += 1) {
    const votes = new Int32Array(count * words * 32);
    const members = new Int32Array(count);
    for (let item = 0; item < size; item += 1) {
      if (item % ITEMS_PER_STEP === 0) yield;
      const cluster = clusters.nearest(sample, item * words);
      members[cluster] = (members[cluster] as number) + 1;
      for (let bit = 0; bit < words * 32; bit += 1) {
        const place = cluster * words * 32 + bit;
        votes[place] = (votes[place] as number) + (((sample[item * words + (bit >>> 5)] as number) >>> (bit & 31)) & 1);
      }
    }
    for (let cluster = 0; cluster < count; cluster += 1) {
      // An empty cluster keeps its place.
      if (members[cluster] === 0) continue;
      for (let word = 0; word < words; word += 1)
        middles[cluster * words + word] = majority(votes, members, cluster, words, word);
    }
  }
  return middles;
}

function majority(votes: Int32Array, members: Int32Array, cluster: number, words: number, word: number): number {
  let bits = 0;
  for (let bit = 0; bit < 32; bit += 1) {
    const set = votes[(cluster * words + word) * 32 + bit] as number;
    if (set * 2 > (members[cluster] as number)) bits |= 1 << bit;
  }
  return bits;
}

const ROUNDS = 6;
const ITEMS_PER_STEP = 64;

function differences(left: Int32Array, leftAt: number, right: Int32Array, rightAt: number, words: number): number {
  let sum = 0;
  for (let word = 0; word < words; word += 1) {
    let bits = (left[leftAt + word] as number) ^ (right[rightAt + word] as number);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    sum += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return sum;
}
