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
  { title: 'another program that is down', series: { [ofOther('up')]: gauge([0]) }, fires: [] },

  { title: 'two restarts', series: { process_start_time_seconds: gauge([1, 10], [2, 10], [3]) }, fires: [] },
  {
    title: 'three restarts',
    series: { process_start_time_seconds: gauge([1, 10], [2, 5], [3, 5], [4]) },
    fires: [ofReplica('Restarts')],
  },
  {
    title: 'restarts of another program',
    series: { [ofOther('process_start_time_seconds')]: gauge([1, 10], [2, 5], [3, 5], [4]) },
    fires: [],
  },

  { title: 'errors of a bug, long ago', series: { [internalErrors]: counter([0, 5], [1, 2], [0]) }, fires: [] },
  {
    title: 'an error of a bug',
    series: { [internalErrors]: counter([0, 25], [1, 1], [0]) },
    fires: [ofJob('InternalErrors')],
  },

  { title: 'a circuit that has just opened', series: { [circuit]: gauge([0, 30], [1]) }, fires: [] },
  {
    title: 'a circuit that is open',
    series: { [circuit]: gauge([0, 27], [1]) },
    fires: [ofJob('CircuitOpen', { operation: 'getDatasetResults' })],
  },

  {
    title: 'connections that a certificate prevents',
    series: { [connectionErrors('tls')]: counter([0, 10], [1]) },
    fires: [ofJob('ServiceConnection', { cause: 'tls' })],
  },
  {
    title: 'a host name without an address',
    series: { [connectionErrors('dns')]: counter([0, 10], [1]) },
    fires: [ofJob('ServiceConnection', { cause: 'dns' })],
  },
  {
    title: 'a moment without DNS',
    series: { [connectionErrors('dns')]: counter([0, 26], [50, 1], [0]) },
    fires: [],
  },
  { title: 'connections that are refused', series: { [connectionErrors('refused')]: counter([100]) }, fires: [] },

  { title: '9 % of the calls wait', series: { [callsAtOnce]: counter([910]) }, fires: [] },
  { title: '11 % of the calls wait', series: { [callsAtOnce]: counter([890]) }, fires: [ofReplica('QueueWait')] },
  {
    title: '11 % of the calls wait, for a short time',
    minutes: 9,
    series: { [callsAtOnce]: counter([890]) },
    fires: [],
  },
  // 0.1 a second are 6 a minute.
  ...[5.8, 6.2].map((each) => ({
    title: `${each} calls a minute, of which many wait`,
    series: { [calls]: counter([each]), [callsAtOnce]: counter([1]) },
    fires: each < 6 ? [] : [ofReplica('QueueWait')],
  })),

  { title: 'a queue that is half full', series: { http_client_queue_length: gauge([499]) }, fires: [] },
  {
    title: 'a queue that is more than half full',
    series: { http_client_queue_length: gauge([0, 24], [501]) },
    fires: [ofReplica('QueueFull')],
  },
  {
    title: 'a queue that is full for a short time',
    series: { http_client_queue_length: gauge([0, 26], [1000]) },
    fires: [],
  },
  { title: 'no queue, and rejections', series: queueOf(0, 1), fires: [ofReplica('QueueFull')] },
  { title: 'no queue, and no rejection', series: queueOf(0, 0), fires: [] },
  {
    title: 'the queue rejects calls in one minute',
    series: { [notSent]: counter([0, 25], [100, 1], [0]) },
    fires: [],
  },

  {
    title: 'responses wait for memory',
    series: { rest_memory_waiting_responses: gauge([0, 19], [1]) },
    fires: [ofReplica('MemoryBudget')],
  },
  {
    title: 'responses wait for memory, for a short time',
    series: { rest_memory_waiting_responses: gauge([0, 21], [50]) },
    fires: [],
  },
  {
    title: 'responses get no memory',
    series: { [lostForMemory]: counter([0, 10], [1]) },
    fires: [ofReplica('MemoryBudget')],
  },
  {
    title: 'responses get no memory in one minute',
    series: { [lostForMemory]: counter([0, 20], [9, 1], [0]) },
    fires: [],
  },

  { title: 'a heap that is 89 % full', series: { nodejs_heap_size_used_bytes: gauge([8.9e8]) }, fires: [] },
  {
    title: 'a heap that is 91 % full',
    series: { nodejs_heap_size_used_bytes: gauge([1e8, 19], [9.1e8]) },
    fires: [ofReplica('Heap')],
  },
  {
    title: 'a full heap before a garbage collection',
    series: { nodejs_heap_size_used_bytes: gauge([9.9e8, 20], [1e8, 1], [9.9e8]) },
    fires: [],
  },
  {
    title: 'a full heap of another program',
    series: {
      [ofOther('nodejs_heap_size_used_bytes')]: gauge([1]),
      [ofOther('nodejs_heap_size_limit_bytes')]: gauge([1]),
    },
    fires: [],
  },

  { title: 'an event loop that works 89 % of the time', series: loop(53.4), fires: [] },
  { title: 'an event loop that works 91 % of the time', series: loop(54.6), fires: [ofReplica('EventLoop')] },
  { title: 'an event loop that works for some minutes', minutes: 9, series: loop(60), fires: [] },
  {
    title: 'a busy event loop of another program',
    series: { 'nodejs_eventloop_time_seconds_total{state="active", job="other", instance="b:1"}': counter([60]) },
    fires: [],
  },

  { title: '79 % of the operations in flight', series: { graphql_operations_in_flight: gauge([395]) }, fires: [] },
  {
    title: '81 % of the operations in flight',
    series: { graphql_operations_in_flight: gauge([10, 24], [405]) },
    fires: [ofReplica('Overload')],
  },
  {
    title: 'all operations in flight, for a short time',
    series: { graphql_operations_in_flight: gauge([1, 26], [500]) },
    fires: [],
  },
  ...['max_operations', 'max_connections', 'max_downloads'].map((reason) => ({
    title: `rejections: ${reason}`,
    series: { [rejected(reason)]: counter([0, 10], [0.5]) },
    fires: [ofReplica('Overload')],
  })),
  {
    title: 'rejections in one minute',
    series: { [rejected('max_operations')]: counter([0, 25], [20, 1], [0]) },
    fires: [],
  },

  { title: '9,900 odd rows a second', minutes: 60, series: { [oddRows]: counter([594_000]) }, fires: [] },
  {
    title: '10,100 odd rows a second',
    minutes: 60,
    series: { [oddRows]: counter([606_000]) },
    fires: [ofJob('OddRows')],
  },
  {
    title: '10,100 odd rows a second, for a short time',
    minutes: 29,
    series: { [oddRows]: counter([606_000]) },
    fires: [],
  },

  {
    title: 'call merging was suspended',
    series: { results_call_merging_suspended_total: counter([0, 10], [1, 1], [0]) },
    fires: [ofReplica('CallMergingOff')],
  },
];

/** A queue of no places, and rejections in each minute. */
function queueOf(limit: number, rejections: number): Scenario['series'] {
  return { http_client_queue_limit: gauge([limit]), [notSent]: counter([rejections]) };
}

/** The event loop works so many seconds of each minute. */
function loop(active: number): Scenario['series'] {
  return { [loopActive]: counter([active]), [loopIdle]: counter([60 - active]) };
}
