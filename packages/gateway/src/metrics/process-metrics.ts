import { performance } from 'node:perf_hooks';
import type { Registry } from './registry.ts';

/** What the process itself uses, under the names that Prometheus clients share. Read when the metrics are read. */
export function addProcessMetrics(registry: Registry): void {
  const startedAt = performance.timeOrigin / 1000;
  let before = performance.eventLoopUtilization();
  registry.gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', () => startedAt);
  registry.total('process_cpu_seconds_total', 'CPU time used, user and system.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  });
  registry.gauge('process_resident_memory_bytes', 'Memory that the process holds.', () => process.memoryUsage.rss());
  registry.gauge(
    'nodejs_heap_size_used_bytes',
    'Heap in use on the main thread.',
    () => process.memoryUsage().heapUsed,
  );
  registry.gauge(
    'nodejs_eventloop_utilization',
    'Share of the time since the last reading in which the main thread was busy.',
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
  );
}
