/** Bodies of the service that are as bad as they can be, and everything that an operation can make of them again and again. */

import { LISTS } from '../support/aggregates.ts';

/** How often a field stands in a document, under aliases. */
const COPIES = 490;

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index));
const aliases = (field: string) => times(COPIES, (index) => `a${index}: ${field}`).join(' ');
const body = (assets: readonly string[]) => Buffer.from(`{"assets":[${assets.join()}]}`);
const asset = (members: string, id = 'a') => `{"asset_id":"${id}",${members}}`;
const metric = (name: string, value: string | number = 1) => `{"name":"${name}","value":${value}}`;
const row = (metrics: readonly string[], date = '2024-01-01') =>
  `{"value_date":"${date}","metrics":[${metrics.join()}]}`;

const rowsOf = (rows: number, metrics: number) =>
  body([asset(`"results":[${times(rows, (at) => row(times(metrics, (index) => metric(`m${index}`, at)))).join()}]`)]);

const rowsAt = (rows: number, metrics: number, date: (at: number) => string) => {
  const metricsAt = (at: number) => times(metrics, (index) => metric(`m${index}`, ((at * 7919) % 1009) / 7));
  return body([asset(`"results":[${times(rows, (at) => row(metricsAt(at), date(at))).join()}]`)]);
};

/** Results responses, made when they are needed. */
export const bodies: Readonly<Record<string, () => Buffer>> = {
  'one row of 300,000 metrics': () =>
    body([asset(`"results":[${row(times(300_000, (index) => metric(`m${index}`)))}]`)]),
  'the same with an odd value': () =>
    body([asset(`"results":[${row(times(300_000, (index) => metric(`m${index}`, index === 7 ? '"none"' : 1)))}]`)]),
  'rows of 10,000 metrics': () => rowsOf(20, 10_000),
  'rows of 1000 metrics': () => rowsOf(200, 1000),
  'rows of 4000 odd values': () =>
    body([asset(`"results":[${times(4, () => row(times(4000, (index) => metric(`m${index}`, '"none"')))).join()}]`)]),
  'names and dates of 100 kB': () =>
    body([
      asset(
        `"results":[${times(20, (index) => row([metric(`${index}${'x'.repeat(100_000)}`)], 'd'.repeat(100_000))).join()}]`,
      ),
    ]),
  'names of 100 kB, and an odd value': () =>
    body([
      asset(`"results":[${times(20, (index) => row([metric(`${index}${'x'.repeat(100_000)}`, '"none"')])).join()}]`),
    ]),
  'strings of 2 MB': () => {
    const long = 'x'.repeat(2_097_150);
    return body([asset(`"asset_name":"${long}","results":[${row([metric(long)], long)}]`)]);
  },
  'strings of 2 MB beside odd values': () => {
    const long = 'x'.repeat(2_097_150);
    return body([
      asset(`"asset_name":"${long}","asset_version":"odd","results":[${row([metric(long, '"none"')], long)}]`),
    ]);
  },
  'a template for each row': () =>
    body([asset(`"results":[${times(1000, (index) => row([metric(`m${index}`), metric(`n${index}`)])).join()}]`)]),
  'templates of many metrics': () =>
    body([
      asset(`"results":[${times(60, (index) => row(times(500, (each) => metric(`m${each + index * 10}`)))).join()}]`),
    ]),
  'a million values of one date': () => rowsAt(200_000, 5, () => '2024-01-01'),
  '20,000 long dates that are no points in time': () =>
    rowsAt(20_000, 1, (at) => `${'x'.repeat(1000)}${(at * 7919) % 20_000}`),
  '10,000 days': () => rowsAt(10_000, 9, (at) => new Date(at * 86_400_000).toISOString()),
  'a million tiny assets': () => body(times(1_000_000, (index) => `{"asset_id":"${index}"}`)),
  'a million entries of one asset': () =>
    body(times(1_000_000, (index) => `{"asset_id":"a","asset_version":${index}}`)),
  'rows of which no two look alike': () =>
    body([asset(`"results":[${times(200_000, (index) => `{"metrics":[${metric(String(index))}]}`).join()}]`)]),
  'a member that nobody knows': () =>
    body([asset(`"x":[${times(2_500_000, (index) => `{"y":[${index}]}`).join()}],"results":[]`)]),
  'many rows with one odd value at the end': () =>
    body([asset(`"results":[${[...times(100_000, () => row([metric('m')])), row([metric('m', '"none"')])].join()}]`)]),
};

/** All that writes bytes of results, each as often as a document may have it: selections on `series`. */
export const producers: Readonly<Record<string, string>> = {
  'names of metrics': `nodes { rows { metrics { ${aliases('name')} } } }`,
  'values of metrics': `nodes { rows { metrics { ${aliases('value')} } } }`,
  'metrics of rows': `nodes { rows { ${aliases('metrics { name }')} } }`,
  'dates of rows': `nodes { rows { ${aliases('valueDate')} } }`,
  'single values of rows': `nodes { rows { ${aliases('value(metric: "m299999")')} } }`,
  'rows of series': `nodes { ${aliases('rows { valueDate metrics { name } }')} }`,
  'the distinct names': `nodes { ${aliases('metricNames')} }`,
  columns: `nodes { ${aliases('columns { metrics { name values } }')} }`,
  'names in columns': `nodes { columns { metrics { ${aliases('name')} } } }`,
  'values in columns': `nodes { columns { metrics { ${aliases('values')} } } }`,
  'dates in columns': `nodes { columns { ${aliases('valueDates')} } }`,
  attributes: `nodes { asset { ${aliases('name')} } }`,
  'ids of assets': `nodes { ${aliases('asset { assetId }')} }`,
  cursors: `edges { ${aliases('cursor')} }`,
};

const quantiles = aliases('quantiles(of: [0.1, 0.9])');

/** What is computed of their rows: selections on `results`. */
export const aggregates: Readonly<Record<string, string>> = {
  'columns of some rows': `series { nodes { ${aliases('columns(points: 3) { metrics { name } }')} } }`,
  'columns of most rows': `series { nodes { ${aliases('columns(points: 19) { valueDates metrics { values } }')} } }`,
  'the latest row': `series { nodes { ${aliases('latest { metrics { name } }')} } }`,
  statistics: `series { nodes { ${aliases('statistics { name maximum { valueDate } }')} } }`,
  'dates of statistics': `series { nodes { s: statistics { ${aliases('last { valueDate assetId }')} } } }`,
  periods: `series { nodes { ${aliases('periods(every: DAY) { metrics { name means } }')} } }`,
  'values of periods': `series { nodes { periods(every: DAY) { metrics { ${aliases('sums')} } } } }`,
  'quantiles of periods': `series { nodes { periods(every: DAY) { metrics { ${quantiles} } } } }`,
  'statistics of all': aliases('statistics { name maximum { valueDate } }'),
  'dates of statistics of all': `statistics { ${aliases('last { valueDate assetId }')} }`,
  'quantiles of all': `statistics { ${quantiles} }`,
  'values by date': aliases('byDate { dates metrics { name means } }'),
  'all values by date': `byDate { dates metrics { ${LISTS} quantiles(of: [0.1, 0.5, 0.9]) } }`,
  'dates of values': `byDate { ${aliases('dates')} }`,
  'quantiles by date': `byDate { metrics { ${quantiles} } }`,
};

/** The selections that are worst for each body. The tests of engine/ bound the work and the memory of all. */
export const worst: Readonly<Record<string, readonly string[]>> = {
  'one row of 300,000 metrics': [
    ...['names of metrics', 'single values of rows', 'the distinct names', 'columns of most rows', 'statistics'],
  ],
  'the same with an odd value': ['the distinct names', 'values of metrics', 'columns'],
  'rows of 10,000 metrics': ['columns', 'values in columns', 'the latest row', 'quantiles of all'],
  'rows of 1000 metrics': ['metrics of rows', 'rows of series'],
  'rows of 4000 odd values': ['values of metrics', 'values in columns'],
  'names and dates of 100 kB': ['names of metrics', 'dates in columns', 'dates of rows'],
  'names of 100 kB, and an odd value': ['values of metrics', 'names in columns'],
  'strings of 2 MB': ['attributes', 'names of metrics'],
  'strings of 2 MB beside odd values': ['attributes', 'names of metrics'],
  'a template for each row': ['columns', 'rows of series'],
  'templates of many metrics': ['metrics of rows', 'names in columns'],
  'a million values of one date': ['statistics of all', 'all values by date', 'quantiles by date', 'dates in columns'],
  '20,000 long dates that are no points in time': ['values by date', 'dates of values', 'dates of statistics'],
  '10,000 days': ['values of periods', 'quantiles of periods', 'periods', 'columns of some rows'],
  'a million tiny assets': ['ids of assets', 'cursors', 'dates of statistics of all'],
  'a million entries of one asset': ['ids of assets', 'attributes'],
  'rows of which no two look alike': ['ids of assets', 'names in columns'],
  'a member that nobody knows': ['names of metrics'],
  'many rows with one odd value at the end': ['rows of series', 'values of metrics'],
};
