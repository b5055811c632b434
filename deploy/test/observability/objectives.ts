import {
  counter,
  ofJob,
  ofReplica,
  operations,
  type Phase,
  page,
  rejected,
  type Scenario,
  withinSecond,
} from './series.ts';

/** So many of 1000 operations a minute fail, in each phase of some minutes; the others succeed at once. */
function failing(...phases: Phase[]): Scenario['series'] {
  const others = counter(...phases.map(([failed, steps]): Phase => [1000 - failed, steps]));
  return {
    [operations('service_error')]: counter(...phases),
    [operations('success')]: others,
    [withinSecond('success')]: others,
  };
}

const hours = { minutes: 360, interval: 2 };
const days = { minutes: 3 * 24 * 60, interval: 30 };
const STEPS_OF_DAYS = 144;

/** What is bad in each phase, in per mille of the operations, and how the alert of availability fires then. */
const windows: readonly [time: typeof hours, phases: readonly Phase[], severities: readonly ('page' | 'ticket')[]][] = [
  // 7.2 % in an hour, and in five minutes
  [hours, [[0, 150], [71]], ['ticket']],
  [hours, [[0, 150], [73]], ['page', 'ticket']],
  [hours, [[0, 150], [65, 25], [80]], ['ticket']],
  [hours, [[0, 150], [85, 25], [70]], ['ticket']],
  // 3 % in six hours, and in half an hour
  [hours, [[29]], ['ticket']],
  [hours, [[31]], ['page', 'ticket']],
  [hours, [[27, 160], [35]], ['ticket']],
  [hours, [[33, 160], [29]], ['ticket']],
  // 0.5 % in three days, and in six hours
  [days, [[4.8]], []],
  [days, [[5.2]], ['ticket']],
  [days, [[4.5, STEPS_OF_DAYS - 12], [6]], []],
  [days, [[6, STEPS_OF_DAYS - 12], [4.8]], []],
];

/** The scenarios of the service level objectives: both sides of the threshold in each window, and traffic. */
export const objectives: readonly Scenario[] = [
  // The objective of latency allows twice as many.
  ...windows.map(
    ([time, phases, severities]): Scenario => ({
      title: `in ${time.minutes / 60} hours ${phases.map(([bad]) => `${bad / 10} %`).join(', then ')} fail, and twice as many are slow`,
      ...time,
      series: {
        ...failing(...phases),
        [withinSecond('success')]: counter(...phases.map(([bad, steps]): Phase => [1000 - 3 * bad, steps])),
      },
      fires: severities.flatMap((severity) =>
        ['Availability', 'Latency'].map((name) => (severity === 'page' ? page(name) : ofJob(name))),
      ),
    }),
  ),
  {
    title: 'all operations fail, but fewer than one a minute',
    ...hours,
    series: {
      ...failing([0]),
      [operations('success')]: counter([0]),
      [withinSecond('success')]: counter([0]),
      [operations('timeout')]: counter([0.95 * hours.interval]),
    },
    fires: [],
  },
  {
    title: 'all operations fail, and there is more than one a minute',
    ...hours,
    series: {
      [operations('success')]: counter([0]),
      [withinSecond('success')]: counter([0]),
      [operations('timeout')]: counter([1.05 * hours.interval]),
    },
    // In three days that is not one a minute.
    fires: [page('Availability')],
  },
  {
    title: 'one operation in a quiet night fails',
    minutes: 120,
    series: {
      [operations('success')]: counter([0]),
      [withinSecond('success')]: counter([0]),
      [operations('service_error')]: counter([0, 60], [1, 1], [0]),
    },
    fires: [],
  },
  {
    title: 'operations time out',
    minutes: 70,
    series: { [operations('timeout')]: counter([90]) },
    fires: [page('Availability'), ofJob('Availability')],
  },
  {
    title: 'requests are rejected at a limit',
    minutes: 70,
    series: { [rejected('max_operations')]: counter([90]) },
    fires: [page('Availability'), ofJob('Availability'), ofReplica('Overload')],
  },
  {
    title: 'clients cause errors, leave, and lack the secret',
    minutes: 70,
    series: {
      [operations('success')]: counter([0]),
      [withinSecond('success')]: counter([0]),
      [operations('client_error')]: counter([1000]),
      [withinSecond('client_error')]: counter([1000]),
      [operations('cancelled')]: counter([1000]),
      [withinSecond('cancelled')]: counter([0]),
      [rejected('router_secret')]: counter([1000]),
    },
    fires: [],
  },
  {
    title: 'clients leave while operations fail',
    minutes: 70,
    series: { ...failing([80]), [operations('cancelled')]: counter([5000]) },
    fires: [page('Availability'), ofJob('Availability')],
  },
  {
    title: 'a shutdown aborts operations, which count once',
    ...hours,
    series: {
      [operations('shutting_down')]: counter([0, 150], [70]),
      [rejected('shutting_down')]: counter([0, 150], [70]),
    },
    fires: [ofJob('Availability')],
  },
  {
    title: 'Prometheus 3 writes the bound of a second as 1.0, and all are fast',
    minutes: 70,
    series: { [withinSecond('success')]: undefined, [withinSecond('success', '1.0')]: counter([1000]) },
    fires: [],
  },
  ...(['job', 'namespace'] as const).map((label) => ({
    title: `operations of another ${label} fail`,
    minutes: 70,
    series: { [`graphql_operation_duration_seconds_count{outcome="timeout", ${label}="other"}`]: counter([100]) },
    fires: [page('Availability'), ofJob('Availability')].map((its) => ({ ...its, [label]: 'other' })),
  })),
];
