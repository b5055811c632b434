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

/** So many of 1000 operations a minute take more than a second, in each phase. */
function slow(...phases: Phase[]): Scenario['series'] {
  return {
    [withinSecond('success')]: counter(...phases.map(([slow, steps]): Phase => [1000 - slow, steps])),
  };
}

const DAY = 24 * 60;
const days = { minutes: 3 * DAY, interval: 10 };

/** The scenarios of the service level objectives: both sides of each threshold of the error rate, the windows, and traffic. */
export const objectives: readonly Scenario[] = [
  ...(
    [
      ['Availability', 'fail', failing, 10],
      ['Latency', 'are slow', slow, 20],
    ] as const
  ).flatMap(([name, what, bad, unit]): Scenario[] => {
    // The objective of latency allows twice as many.
    const of = (perMille: number) => (perMille * unit) / 10;
    const share = (perMille: number) => `${of(perMille) / 10} % ${what}`;
    const clean: Phase = [0, 300];
    return [
      { title: `${share(71)} for an hour`, minutes: 360, series: bad(clean, [of(71)]), fires: [ofJob(name)] },
      {
        title: `${share(73)} for an hour`,
        minutes: 360,
        series: bad(clean, [of(73)]),
        fires: [page(name), ofJob(name)],
      },
      {
        title: `${share(150)} for an hour, and none since 10 minutes`,
        minutes: 360,
        series: bad([0, 290], [of(150), 60], [0]),
        fires: [ofJob(name)],
      },
      { title: `${share(29)} for six hours`, minutes: 360, series: bad([of(29)]), fires: [ofJob(name)] },
      { title: `${share(31)} for six hours`, minutes: 360, series: bad([of(31)]), fires: [page(name), ofJob(name)] },
      {
        title: `${share(40)} for six hours, and none since 40 minutes`,
        minutes: 360,
        series: bad([of(40), 320], [0]),
        fires: [ofJob(name)],
      },
      { title: `${share(4.8)} for three days`, ...days, series: bad([of(4.8)]), fires: [] },
      { title: `${share(5.2)} for three days`, ...days, series: bad([of(5.2)]), fires: [ofJob(name)] },
      { title: `${share(9)} for two days, and none since`, ...days, series: bad([of(9), 288], [0]), fires: [] },
    ];
  }),
  {
    title: 'all operations fail, but fewer than one a minute',
    minutes: 360,
    series: {
      ...failing([0]),
      [operations('success')]: counter([0]),
      [withinSecond('success')]: counter([0]),
      [operations('timeout')]: counter([0.95]),
    },
    fires: [],
  },
  {
    title: 'all operations fail, and there is more than one a minute',
    minutes: 360,
    series: {
      [operations('success')]: counter([0]),
      [withinSecond('success')]: counter([0]),
      [operations('timeout')]: counter([1.05]),
    },
    // In three days that is not one a minute.
    fires: [page('Availability')],
  },
  {
    title: 'all operations of days are slow, but fewer than one a minute',
    ...days,
    series: { [operations('success')]: counter([9.5]), [withinSecond('success')]: counter([0]) },
    fires: [],
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
    minutes: 360,
    series: {
      [operations('shutting_down')]: counter([0, 300], [70]),
      [rejected('shutting_down')]: counter([0, 300], [70]),
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
