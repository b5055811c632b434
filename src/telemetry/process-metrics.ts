import { readdirSync, readFileSync } from 'node:fs';
import {
  constants,
  monitorEventLoopDelay,
  type NodeGCPerformanceDetail,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { Histogram } from './histogram.ts';

/** Milliseconds between two measurements of the event loop's delay. */
const DELAY_RESOLUTION_MS = 10;

const PERCENTILES = [50, 90, 99];

/** Seconds. */
const GC_DURATIONS = [0.001, 0.01, 0.1, 1, 2, 5];

const gcKinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/**
 * Registers the metrics of the process and of Node.js, under the names that Prometheus' clients use. (The defaults of the
 * library are not used: some of them break the rules of `promtool check metrics`, and its counter of garbage collections
 * misses those that end in one turn of the event loop.)
 *
 * @returns stops measuring
 */
export function registerProcessMetrics(registry: Registry, version: string): () => void {
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const value = read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });

  new Gauge({
    name: 'dataset_subgraph_info',
    help: 'The version of the subgraph and of Node.js.',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version, node_version: process.version }, 1);
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of all threads.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  const startTime = Date.now() / 1000 - process.uptime();
  gauge('process_start_time_seconds', 'When the process started, in Unix time.', () => startTime);
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('process_open_fds', 'Open file descriptors.', openFileDescriptors);
  gauge('process_max_fds', 'The most file descriptors that may be open.', maxFileDescriptors);
  gauge('nodejs_heap_size_used_bytes', 'The JavaScript heap in use.', () => process.memoryUsage().heapUsed);
  gauge('nodejs_heap_size_total_bytes', 'The size of the JavaScript heap.', () => process.memoryUsage().heapTotal);
  gauge(
    'nodejs_heap_size_limit_bytes',
    'The maximum size of the JavaScript heap.',
    () => getHeapStatistics().heap_size_limit,
  );
  gauge(
    'nodejs_external_memory_bytes',
    'Memory outside the heap, of objects in it.',
    () => process.memoryUsage().external,
  );
  gauge(
    'nodejs_array_buffers_bytes',
    'The part of the external memory that buffers take.',
    () => process.memoryUsage().arrayBuffers,
  );
  new Counter({
    name: 'nodejs_eventloop_time_seconds_total',
    help: 'Time of the event loop, by state. The active share is its utilization.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { active, idle } = performance.eventLoopUtilization();
      this.reset();
      this.inc({ state: 'active' }, active / 1000);
      this.inc({ state: 'idle' }, idle / 1000);
    },
  });
  const stops = [registerEventLoopDelay(registry), registerGarbageCollection(registry)];
  return () => {
    for (const stop of stops) stop();
  };
}

function registerEventLoopDelay(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  // What is measured is the time between two timers.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - DELAY_RESOLUTION_MS / 1000);
  const percentiles = new Map<number, Gauge>();
  // It is collected before the percentiles.
  new Gauge({
    name: 'nodejs_eventloop_delay_max_seconds',
    help: 'The longest delay of the event loop since the last scrape.',
    registers: [registry],
    collect() {
      this.set(seconds(delay.max));
      for (const [percentile, gauge] of percentiles) gauge.set(seconds(delay.percentile(percentile)));
      delay.reset();
    },
  });
  for (const percentile of PERCENTILES) {
    const gauge = new Gauge({
      name: `nodejs_eventloop_delay_p${percentile}_seconds`,
      help: `Delay of the event loop since the last scrape: ${percentile} % were shorter.`,
      registers: [registry],
    });
    percentiles.set(percentile, gauge);
  }
  return () => void delay.disable();
}

function registerGarbageCollection(registry: Registry): () => void {
  const definition = { name: 'nodejs_gc_duration_seconds', help: 'Garbage collections, by kind.' };
  const durations = new Histogram({ ...definition, labelNames: ['kind'], bounds: GC_DURATIONS });
  registry.registerMetric(durations.metric);
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as typeof entry & { readonly detail: NodeGCPerformanceDetail };
      durations.observe(duration / 1000, gcKinds[detail.kind] ?? 'other');
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}

/** Undefined where the system has no `/proc`. */
function openFileDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}

function maxFileDescriptors(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}
