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

/** Bytes that this process holds after collecting garbage, buffers included. Work that was put off is let finish first. */
export async function heldBytes() {
  for (let round = 0; round < 2; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
