/** CPU seconds of all threads of this process that a piece of work takes, and what it returns. */
export async function cpuTime(work) {
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, value };
}

export function median(values) {
  return percentile(values, 0.5);
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/**
 * The geometric mean of ratios, and the interval that holds it in 95 of 100 measurements (Student's t), as far as their spread tells.
 * From two ratios on.
 */
export function meanOfRatios(ratios) {
  const logs = ratios.map(Math.log);
  const count = logs.length;
  const mean = logs.reduce((sum, log) => sum + log, 0) / count;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (count - 1);
  const half = tQuantile(count - 1) * Math.sqrt(variance / count);
  return { mean: Math.exp(mean), range: [Math.exp(mean - half), Math.exp(mean + half)] };
}

/** The 97.5 % quantile of Student's t, from the normal distribution's by Cornish and Fisher; exact for one and two degrees of freedom. */
function tQuantile(degrees) {
  if (degrees === 1) return 12.706;
  if (degrees === 2) return 4.303;
  const z = 1.959964;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / degrees + second / degrees ** 2 + third / degrees ** 3;
}

/** Every other round in the opposite order: who comes after a large one should not always be the same. */
export function inTurn(contestants, round) {
  const entries = Object.entries(contestants);
  return round % 2 === 0 ? entries : entries.reverse();
}

/** Bytes that this process holds after collecting garbage, buffers included. Work that was put off is let finish first. */
export async function heldBytes() {
  for (let round = 0; round < 2; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
