import {
  alert,
  calls,
  callsAtOnce,
  circuit,
  connectionErrors,
  counter,
  gauge,
  internalErrors,
  loopActive,
  loopIdle,
  lostForMemory,
  notSent,
  oddRows,
  ofJob,
  ofReplica,
  rejected,
  type Scenario,
} from './series.ts';

const info = 'dataset_subgraph_info{version="0.1.0", node_version="v24.0.0"}';
const ofOther = (name: string) => `${name}{job="other", instance="b:1"}`;

/** The metrics of replicas that do not respond. */
const gone: Scenario['series'] = { up: gauge([1, 10], [0]), [info]: gauge([1, 10], [Number.NaN]) };

/** Scenarios of the other alerts: both sides of each threshold and of each time. */
export const causes: readonly Scenario[] = [
  { title: 'a healthy replica', series: {}, fires: [] },
  {
    title: 'all just below their thresholds',
    minutes: 60,
    series: {
      process_start_time_seconds: gauge([1, 40], [2, 10], [3]),
      [connectionErrors('refused')]: counter([100]),
      [callsAtOnce]: counter([910]),
      http_client_queue_length: gauge([499]),
      nodejs_heap_size_used_bytes: gauge([8.9e8]),
      graphql_operations_in_flight: gauge([395]),
      [oddRows]: counter([594_000]),
      ...loop(53.4),
    },
    fires: [],
  },
  {
    title: 'all above them, for a short time',
    series: {
      [internalErrors]: counter([0, 5], [1, 2], [0]),
      [circuit]: gauge([0, 30], [1]),
      [connectionErrors('dns')]: counter([0, 26], [50, 1], [0]),
      http_client_queue_length: gauge([0, 26], [1000]),
      [notSent]: counter([0, 25], [100, 1], [0]),
      rest_memory_waiting_responses: gauge([0, 21], [50]),
      [lostForMemory]: counter([0, 20], [9, 1], [0]),
      nodejs_heap_size_used_bytes: gauge([9.9e8, 20], [1e8, 1], [9.9e8]),
      graphql_operations_in_flight: gauge([1, 26], [500]),
      [rejected('max_operations')]: counter([0, 25], [20, 1], [0]),
    },
    fires: [],
  },
  {
    title: 'busy since the start, a short time ago',
    minutes: 9,
    series: { [callsAtOnce]: counter([890]), [oddRows]: counter([606_000]), ...loop(60) },
    fires: [],
  },
  {
    title: 'another program',
    series: {
      [ofOther('up')]: gauge([0]),
      [ofOther('process_start_time_seconds')]: gauge([1, 10], [2, 5], [3, 5], [4]),
      [ofOther('nodejs_heap_size_used_bytes')]: gauge([1]),
      [ofOther('nodejs_heap_size_limit_bytes')]: gauge([1]),
      'nodejs_eventloop_time_seconds_total{state="active", job="other", instance="b:1"}': counter([60]),
    },
    fires: [],
  },
  { title: 'no replica for less than 5 minutes', minutes: 14, series: gone, fires: [] },
  {
    title: 'no replica for 5 minutes',
    minutes: 16,
    series: gone,
    fires: [alert('Absent', 'page', {}), ofReplica('Down')],
  },
  {
    title: 'a replica that was scaled in',
    series: { up: gauge([1, 10], [Number.NaN]), 'dataset_subgraph_info{instance="b:1"}': gauge([1]) },
    fires: [],
  },
  {
    title: 'all just above their thresholds, for as long as it takes',
    minutes: 60,
    series: {
      process_start_time_seconds: gauge([1, 35], [2, 5], [3, 5], [4]),
      [internalErrors]: counter([0, 55], [1, 1], [0]),
      [circuit]: gauge([0, 57], [1]),
      [connectionErrors('tls')]: counter([0, 40], [1]),
      [connectionErrors('dns')]: counter([0, 40], [1]),
      [callsAtOnce]: counter([890]),
      http_client_queue_length: gauge([0, 54], [501]),
      rest_memory_waiting_responses: gauge([0, 49], [1]),
      nodejs_heap_size_used_bytes: gauge([1e8, 49], [9.1e8]),
      graphql_operations_in_flight: gauge([10, 54], [405]),
      [oddRows]: counter([606_000]),
      results_call_merging_suspended_total: counter([0, 40], [1, 1], [0]),
      ...loop(54.6),
    },
    fires: [
      ofJob('InternalErrors'),
      ofJob('CircuitOpen', { operation: 'getDatasetResults' }),
      ...['tls', 'dns'].map((cause) => ofJob('ServiceConnection', { cause })),
      ofJob('OddRows'),
      ...['Restarts', 'QueueWait', 'QueueFull', 'MemoryBudget', 'Heap', 'EventLoop', 'Overload', 'CallMergingOff'].map(
        ofReplica,
      ),
    ],
  },
  // 0.1 a second are 6 a minute.
  ...[5.8, 6.2].map((each) => ({
    title: `${each} calls a minute, of which many wait`,
    series: { [calls]: counter([each]), [callsAtOnce]: counter([1]) },
    fires: each < 6 ? [] : [ofReplica('QueueWait')],
  })),
  ...[0, 1].map((rejections) => ({
    title: `no queue, and ${rejections} rejections in each minute`,
    series: { http_client_queue_limit: gauge([0]), [notSent]: counter([rejections]) },
    fires: rejections === 0 ? [] : [ofReplica('QueueFull')],
  })),
  {
    title: 'responses get no memory',
    series: { [lostForMemory]: counter([0, 10], [1]) },
    fires: [ofReplica('MemoryBudget')],
  },
  ...['max_operations', 'max_connections', 'max_downloads'].map((reason) => ({
    title: `rejections: ${reason}`,
    series: { [rejected(reason)]: counter([0, 10], [0.5]) },
    fires: [ofReplica('Overload')],
  })),
];

/** The event loop works so many seconds of each minute. */
function loop(active: number): Scenario['series'] {
  return { [loopActive]: counter([active]), [loopIdle]: counter([60 - active]) };
}
