import { readdirSync, readFileSync } from 'node:fs';
import {
  constants,
  monitorEventLoopDelay,
  type NodeGCPerformanceDetail,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Registry } from '@prometheus-io/client';
import { Histogram } from './histogram.ts';
import { type ReadMetric, registerReadMetrics, type Sample } from './read-metrics.ts';

/** Milliseconds between two measurements of the event loop's delay. */
const DELAY_RESOLUTION_MS = 10;

/** Seconds. */
const GC_DURATIONS = [0.001, 0.01, 0.1, 1, 2, 5];

const gcKinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

const startTime = Date.now() / 1000 - process.uptime();

const ofProcess: readonly ReadMetric<string>[] = [
  [
    'dataset_subgraph_info',
    'The version of the subgraph and of Node.js.',
    (version) => [{ value: 1, labels: { version, node_version: process.version } }],
  ],
  ['process_cpu_seconds_total', 'CPU time of all threads.', cpuSeconds],
  ['process_start_time_seconds', 'When the process started, in Unix time.', () => startTime],
  ['process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()],
  ['process_open_fds', 'Open file descriptors.', openFileDescriptors],
  ['process_max_fds', 'The most file descriptors that may be open.', maxFileDescriptors],
  ['nodejs_heap_size_used_bytes', 'The JavaScript heap in use.', () => process.memoryUsage().heapUsed],
  ['nodejs_heap_size_total_bytes', 'The size of the JavaScript heap.', () => process.memoryUsage().heapTotal],
  [
    'nodejs_heap_size_limit_bytes',
    'The maximum size of the JavaScript heap.',
    () => getHeapStatistics().heap_size_limit,
  ],
  ['nodejs_external_memory_bytes', 'Memory outside the heap, of objects in it.', () => process.memoryUsage().external],
  [
    'nodejs_array_buffers_bytes',
    'The part of the external memory that buffers take.',
    () => process.memoryUsage().arrayBuffers,
  ],
  [
    'nodejs_eventloop_time_seconds_total',
    'Time of the event loop, by state. The active share is its utilization.',
    eventLoopSeconds,
  ],
];

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

const ofEventLoopDelay: readonly ReadMetric<IntervalHistogram>[] = [
  ...[50, 90, 99].map(
    (percentile): ReadMetric<IntervalHistogram> => [
      `nodejs_eventloop_delay_p${percentile}_seconds`,
      `Delay of the event loop since the last scrape: ${percentile} % were shorter.`,
      (delay) => delaySeconds(delay.percentile(percentile)),
    ],
  ),
  // Metrics are read in their order.
  ['nodejs_eventloop_delay_max_seconds', 'The longest delay of the event loop since the last scrape.', resetDelay],
];

/**
 * Registers the metrics of the process and of Node.js, under the names that Prometheus' clients use. (The defaults of the
 * library are not used: some of them break the rules of `promtool check metrics`, and its counter of garbage collections
 * misses those that end in one turn of the event loop.)
 *
 * @returns stops measuring
 */
export function registerProcessMetrics(registry: Registry, version: string): () => void {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  registerReadMetrics(registry, ofProcess, () => version);
  registerReadMetrics(registry, ofEventLoopDelay, () => delay);
  const collections = observeGarbageCollections(registry);
  return () => {
    delay.disable();
    collections.disconnect();
  };
}

function observeGarbageCollections(registry: Registry): PerformanceObserver {
  const definition = { name: 'nodejs_gc_duration_seconds', help: 'Garbage collections, by kind.' };
  const durations = new Histogram(registry, { ...definition, labelNames: ['kind'], bounds: GC_DURATIONS });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as typeof entry & { readonly detail: NodeGCPerformanceDetail };
      durations.observe(duration / 1000, gcKinds[detail.kind] ?? 'other');
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return observer;
}

/** The maximum. It is read last, and a new measurement begins. */
function resetDelay(delay: IntervalHistogram): number {
  const longest = delaySeconds(delay.max);
  delay.reset();
  return longest;
}

/** What is measured is the time between two timers. */
function delaySeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - DELAY_RESOLUTION_MS / 1000);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function eventLoopSeconds(): Sample[] {
  const { active, idle } = performance.eventLoopUtilization();
  return Object.entries({ active, idle }).map(([state, value]) => ({ value: value / 1000, labels: { state } }));
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
