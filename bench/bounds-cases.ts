import { aggregates, bodies, producers } from '../test/large/hostile.ts';

/** A body of the service, or several, and an operation on it, all as bad as the limits allow. */
export interface BoundsCase {
  readonly title: string;
  /** The body of each results call or metadata call. */
  readonly body: () => Buffer;
  /** How it is sent. */
  readonly sent?: 'with its length' | 'without its length' | 'in chunks of a byte';
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

const ID = '4f7d8a61-0f53-4a52-9b4e-6f6a6f7b8c9d';
const times = (count: number, text: (index: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, index) => text(index)).join(between);
const onResults = (selection: string) => `{ dataset(id: "${ID}") { results { ${selection} } } }`;
const onSeries = (selection: string) => onResults(`series { nodes { ${selection} } }`);
/** The same of several datasets, each with a call of its own. */
const onDatasets = (count: number, selection: string) =>
  `{ ${times(count, (index) => `d${index}: dataset(id: "d${index}") { ${selection} }`)} }`;
const bodyOf = (assets: string) => Buffer.from(`{"assets":[${assets}]}`);
/** One of the bodies of test/large/hostile.ts, and a selection on its results. */
const hostile = (body: string, what: string, selection = ''): BoundsCase => ({
  title: `${body}, ${what}`,
  body: bodies[body] as () => Buffer,
  query: onResults(selection),
});
const ofSeries = (producer: string) => `series { ${producers[producer]} }`;

const row = (date: string, metrics: string) => `{"value_date":"${date}","metrics":[${metrics}]}`;
const metric = (name: string, value: number) => `{"name":"${name}","value":${value}}`;
const dayOf = (at: number) => new Date(at * 86_400_000).toISOString().slice(0, 10);

/** Rows of one asset, of about as many bytes, as services send them. */
function usualRows(bytes: number, id = 'a'): string {
  const rows = (from: number) =>
    times(
      100,
      (at) =>
        row(
          dayOf(from + at),
          times(3, (m) => metric(`m${m}`, at / 7 + m), ','),
        ),
      ',',
    );
  const parts: string[] = [];
  for (let size = 0; size < bytes; size += (parts.at(-1) as string).length) parts.push(rows(parts.length * 100));
  return `{"asset_id":"${id}","results":[${parts.join()}]}`;
}

/** An asset of so many bytes that are mostly something that nobody knows. */
const padded = (id: string, bytes: number) =>
  `{"asset_id":"${id}","results":[${row('2024-01-01', metric('m', 1))}],"x":"${'x'.repeat(bytes)}"}`;

/** Assets whose rows by date have as many values as possible. */
const byDate = () =>
  bodyOf(
    times(
      50,
      (asset) =>
        `{"asset_id":"a${asset}","results":[${times(
          1000,
          (at) =>
            row(
              dayOf(at),
              times(2, (m) => metric(`m${m}`, ((asset * 7919 + at * 31) % 1009) / 7), ','),
            ),
          ',',
        )}]}`,
      ',',
    ),
  );
const quantiles = (first: number) => `[${times(20, (index) => String((index + first / 100) / 20), ',')}]`;

/** Rows of few dates, so that each date has many values. */
const ofFewDates = () =>
  bodyOf(
    times(
      1000,
      (asset) =>
        `{"asset_id":"a${asset}","results":[${times(
          60,
          (at) => row(dayOf(at), metric('m', ((asset * 7919 + at * 31) % 10_007) / 7)),
          ',',
        )}]}`,
      ',',
    ),
  );

/** Two rows, 27 years apart, of each of 2,000 assets. */
const farApart = () =>
  bodyOf(
    times(
      2000,
      (asset) =>
        `{"asset_id":"a${asset}","results":[${row('1990-01-01', metric('m', 1))},${row('2017-05-18', metric('m', 2))}]}`,
      ',',
    ),
  );

export const boundsCases: readonly BoundsCase[] = [
  {
    title: 'metadata of 3.8 MB with a list that nobody knows, of 20 datasets',
    body: () => Buffer.from(`{"name":"a\\n","x":[${times(1_900_000, () => '1', ',')}]}`),
    query: onDatasets(20, 'name'),
  },
  {
    title: 'metadata of 3.8 MB with members that nobody knows, of 20 datasets',
    body: () => Buffer.from(`{"name":"a\\n",${times(380_000, (at) => `"${at % 10}":1`, ',')}}`),
    query: onDatasets(20, 'name'),
  },
  {
    title: 'periods of 27 years, their names',
    body: farApart,
    query: onSeries('periods(every: DAY) { metrics { name } }'),
  },
  {
    title: 'periods of 27 years, all lists',
    body: farApart,
    query: onSeries(
      'periods(every: DAY) { dates metrics { name counts sums means minimums maximums standardDeviations } }',
    ),
  },
  {
    title: 'periods of 27 years, 90 aliases with different metrics',
    body: farApart,
    query: onSeries(times(90, (at) => `p${at}: periods(every: DAY, metrics: ["m", "n${at}"]) { metrics { sums } }`)),
  },
  {
    title: 'values by date with 20 quantiles, 90 aliases of one',
    body: byDate,
    query: onResults(times(90, (at) => `b${at}: byDate { metrics { quantiles(of: ${quantiles(0)}) } }`)),
  },
  {
    title: 'values by date with 20 quantiles, 90 different ones',
    body: byDate,
    query: onResults(times(90, (at) => `b${at}: byDate { metrics { quantiles(of: ${quantiles(at)}) } }`)),
  },
  {
    title: 'values by date with 20 quantiles of few dates, 90 different ones',
    body: ofFewDates,
    query: onResults(`byDate { metrics { ${times(90, (at) => `q${at}: quantiles(of: ${quantiles(at)})`)} } }`),
  },
  {
    title: 'values by date, 90 aliases that differ in their metrics, names only',
    body: byDate,
    query: onResults(times(90, (at) => `b${at}: byDate(metrics: ["m0", "m1", "n${at}"]) { metrics { name } }`)),
  },
  hostile('a million values of one date', 'statistics under 490 aliases', aggregates['statistics of all']),
  hostile(
    'a million values of one date',
    'by date',
    'byDate { dates metrics { name counts means minimums maximums quantiles(of: [0.1, 0.5, 0.9]) } }',
  ),
  hostile('10,000 days', 'sums under 490 aliases', aggregates['values of periods']),
  hostile('10,000 days', 'columns of some rows under 490 aliases', aggregates['columns of some rows']),
  hostile('a million tiny assets', 'dates of statistics under 490 aliases', aggregates['dates of statistics of all']),
  hostile('a million tiny assets', 'their ids under 490 aliases', ofSeries('ids of assets')),
  hostile('one row of 300,000 metrics', 'their names under 490 aliases', ofSeries('names of metrics')),
  hostile('the same with an odd value', 'the distinct names under 490 aliases', ofSeries('the distinct names')),
  hostile('many rows with one odd value at the end', 'rows under 490 aliases', ofSeries('rows of series')),
  hostile('a template for each row', 'columns under 490 aliases', ofSeries('columns')),
  hostile('strings of 2 MB beside odd values', 'names under 490 aliases', ofSeries('names of metrics')),
  {
    title: 'usual rows of 10 MB, under 118 aliases',
    body: () => bodyOf(usualRows(10_000_000)),
    query: onSeries(times(118, (at) => `r${at}: rows { valueDate metrics { name value } }`)),
  },
  {
    title: 'usual rows of 10 MB, the latest of them under 118 aliases',
    body: () => bodyOf(usualRows(10_000_000)),
    query: onSeries(times(118, (at) => `r${at}: latest { valueDate }`)),
  },
  {
    title: 'usual rows of 200 kB of each of 50 datasets, all fields twice',
    body: () => bodyOf(usualRows(200_000)),
    query: onDatasets(
      50,
      `results { ${times(2, (at) => `s${at}: series { nodes { asset { assetId } rows { valueDate metrics { name value } } columns { valueDates metrics { values } } statistics { name mean standardDeviation last { valueDate } } periods(every: DAY) { dates metrics { means } } } }`)} byDate { dates metrics { quantiles(of: [0.1, 0.5, 0.9]) } } }`,
    ),
  },
  {
    title: 'a body of 230 MB under two aliases',
    body: () => bodyOf(times(230, (at) => padded(`a${at}`, 1_000_000), ',')),
    query: onResults(times(2, (at) => `s${at}: series { nodes { rows { valueDate } } }`)),
  },
  {
    title: 'the same without its length',
    body: () => bodyOf(times(230, (at) => padded(`a${at}`, 1_000_000), ',')),
    sent: 'without its length',
    query: onResults(times(2, (at) => `s${at}: series { nodes { rows { valueDate } } }`)),
  },
  {
    title: 'an asset of 200 MB of attributes that nobody knows',
    body: () => {
      const part = Buffer.from(times(100_000, () => '"x":1,', ''));
      return Buffer.concat([Buffer.from('{"assets":[{'), ...Array(333).fill(part), Buffer.from('"asset_id":"a"}]}')]);
    },
    query: onSeries('rowCount'),
  },
  {
    title: 'a value of 200 MB that is as deep as it is long',
    body: () =>
      Buffer.concat([
        Buffer.from('{"x":'),
        Buffer.alloc(1e8, '['),
        Buffer.alloc(1e8, ']'),
        Buffer.from(',"assets":[]}'),
      ]),
    query: onSeries('rowCount'),
  },
  {
    title: '16 bodies of 1 MB in chunks of a byte',
    body: () => Buffer.from(`{"processing_id":"p","x":"${'x'.repeat(1_000_000)}"}`),
    sent: 'in chunks of a byte',
    query: onDatasets(16, 'results { processingId }'),
  },
  {
    title: 'a request of 1 MB with 10,000 ids',
    body: () => bodyOf(padded('a', 10)),
    query: `query ($ids: [ID!]!) { dataset(id: "${ID}") { assetsByIds(assetIds: $ids) { assetId name } } }`,
    variables: { ids: Array.from({ length: 10_000 }, (_, at) => `${at}`.padEnd(90, 'x')) },
  },
  {
    title: 'a request of 1 MB of commas',
    body: () => Buffer.from('{"name":"n"}'),
    query: `{ dataset(id: "${ID}") { name ${','.repeat(990_000)} } }`,
  },
  {
    title: 'a request of 1 MB of one text',
    body: () => Buffer.from('{"name":"n"}'),
    query: `query ($id: ID!) { dataset(id: $id) { name } }`,
    variables: { id: 'é'.repeat(490_000) },
  },
  {
    title: '900 assets under aliases that do not merge',
    body: () => bodyOf(padded('a', 10)),
    query: `{ dataset(id: "${ID}") { ${times(900, () => 'asset(assetId: "a") { assetId }')} } }`,
  },
  {
    title: 'the schema by introspection under 95 aliases',
    body: () => Buffer.from('{}'),
    query: `{ ${times(95, (at) => `s${at}: __schema { types { name description fields { name type { name } } } }`)} }`,
  },
];
