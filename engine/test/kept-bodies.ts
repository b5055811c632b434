import { oddRows } from './odd-rows.ts';

/**
 * Bodies to which a response once was wrong, or would be with a small mistake that random cases seldom notice. They stay, so that it
 * never is again.
 */
export interface KeptBody {
  readonly title: string;
  /** What is selected on `DatasetResults`. */
  readonly selection: string;
  readonly body: string;
}

const onSeries = (selection: string) => `series { nodes { ${selection} } }`;
const assetWith = (members: string) => `{"assets":[{"asset_id":"a",${members}}]}`;
const rowWith = (metrics: string) => assetWith(`"results":[{"value_date":"d","metrics":${metrics}}]`);

/** Everything that looks into rows. */
const onRows = [
  'rowCount',
  'metricNames',
  'rows { valueDate }',
  'rows { metrics { name value } }',
  'rows { metrics { value } }',
  'rows { metrics(metrics: ["m", "a"]) { name value } }',
  'rows { a: value(metric: "a") value(metric: "m") }',
  'columns { metrics { name values } }',
  'columns(metrics: ["m", "a"]) { metrics { values } }',
];

/** Bodies that each of these is asked of. */
const oddBodies = {
  ...Object.fromEntries(oddRows.map(([what, row]) => [`a row with ${what}`, assetWith(`"results":[${row},${row}]`)])),
  'rows twice': assetWith('"results":[{"metrics":[{"name":"m","value":1}]}],"results":[]'),
  'rows, and then none': assetWith('"results":[{"metrics":[{"name":"m","value":1}]}],"results":null'),
  'an id, and then none': assetWith('"asset_id":5,"results":[]'),
  'negative zeros in rows that look different': assetWith(
    `"results":[${['-0', '-0.0', '-0e5', '-1e-400']
      .flatMap((zero) => [
        `{"metrics":[{"name":"m","value":${zero}},{"name":"n","value":${zero}}]}`,
        `{"metrics":[{"name":"m","value":${zero}},{"name":"k","value":${zero}}]}`,
        `{"metrics":[{"name":"m","value":${zero}},{"name":"n","value":${zero},"x":1}]}`,
      ])
      .join()}]`,
  ),
  'assets whose metrics come in different orders': JSON.stringify({
    assets: ['mn', 'nm', 'mn'].map((names, index) => ({
      asset_id: `a${index}`,
      results: [...names].map((name) => ({ value_date: name, metrics: [{ name, value: index }] })),
    })),
  }),
  'members as they should be, and then odd ones': assetWith(
    '"results":[{"value_date":"d","metrics":[{"name":"m","value":1}],"metrics":[{"name":"m","value":1,"value":"x"}],"value_date":5}]',
  ),
  'a metric that is no object, and then rows that look the same but for it': assetWith(
    `"results":[${['5', '[]', '"x"', '{"name":"n","value":1}', 'null', ' {}', '']
      .map((entry) => `{"metrics":[{"name":"m","value":1}${entry && ','}${entry}]}`)
      .join()},{"metrics":[5]},{"metrics":[{"name":"m","value":2}]},{"metrics":[]},{"metrics":[ 5]},{"metrics":[ {"name":"m","value":3}]}]`,
  ),
  'an asset without an id, an entry that is none, and one as it should be': `{"assets":[{"results":[{"metrics":[5]}]},7,[],
    {"asset_id":5},{"asset_id":null},{"asset_id":"x","asset_id":"a","results":[{"metrics":[{"name":"m","value":1}]}]}]}`,
  'assets twice': `{"assets":[5,{"asset_id":"z"}],"assets":[{"asset_id":"a","results":[{"metrics":[{"name":"m","value":1}]}]}]}`,
  'assets, and then an odd value': `{"assets":[{"asset_id":"a","results":[]}],"a\\u0073sets":5}`,
  'odd assets, and then none': `{"assets":[5],"assets":null}`,
  'an odd asset among others': `{"assets":[{"asset_id":"a","results":[{"metrics":[{"name":"m","value":1}]}]},
    {"asset_id":"b","asset_name":5,"results":[{"metrics":[{"name":"m","value":"none"}]},{"metrics":[{"name":"m","value":1e999}]}]},
    {"asset_id":"c","results":[{"metrics":[{"name":"m","value":3}]}]}]}`,
  'nesting of nearly a thousand levels in a member that nobody asks for': assetWith(
    `"x":${'[{"y":'.repeat(499)}"\\n"${'}]'.repeat(499)},"asset_version":9223372036854775807,"results":[{"metrics":[{"name":"m","value":1}]}]`,
  ),
  'nesting that does not end': assetWith(`"x":${'['.repeat(5000)}${']'.repeat(4999)},"results":[]`),
  'a comma too many': rowWith('[{"name":"m","value":1,"x":{"y":1,}}]'),
  'rows with and without metrics': assetWith(
    '"results":[{"metrics":[{"name":"m","value":1}]},{"value_date":"d","metrics":[]},{"metrics":[{"name":"m"}]},{}]',
  ),
};

/** What may stand in the place of a number, or of a date, in a row that is otherwise like the rows around it. */
const odd = {
  number: [
    ...['-0', '-0.0', '-0e1', '0e5', '-0.1', '1e309', '1E400', '-1e400', '1e-400', '-1e-400', '1e99', '1e+99', '1e100'],
    ...['9'.repeat(25), '9'.repeat(26), '9'.repeat(400), `0.${'0'.repeat(400)}1`, `-0.${'0'.repeat(30)}`],
    ...['null', 'nulx', 'nul', 'true', '"1"', '[]', '{}', ''],
    ...['01', '-01', '1.', '-.5', '.5', '+1', '-', '1e', '1e+', '1.e1', '1.5.2', '1 2', '1,', '0x1'],
  ],
  date: [
    ...['""', '"\\u0064"', '"\\ud800"', '"ä💥"', '"}]}"', 'null', 'nulx', '5', '[]', '{"a":"d"}', ''],
    ...['"d\u001f"', '"d\n"', '"d', 'd"', '"\\x"', '"\\', "'d'", '"d""d"'],
  ],
};

/** Three rows: the one in the middle is like the others but for its number, or its date. */
const rowAmongOthers = (value: string, date: string) =>
  assetWith(
    `"results":[${[
      ['"c"', '0.5'],
      [date, value],
      ['"e"', '2'],
    ]
      .map(([day, number]) => `{"value_date":${day},"metrics":[{"name":"m","value":${number}},{"name":"n","value":7}]}`)
      .join()}]`,
  );

const rowsAmongOthers = [
  ...odd.number.map((value) => ({ title: `the number ${value} among others`, body: rowAmongOthers(value, '"d"') })),
  ...odd.date.map((date) => ({ title: `the date ${date} among others`, body: rowAmongOthers('1', date) })),
];

/** What stands before, in and behind a value that is too long to be read in one go. */
const longValues = {
  'a list': ['[', '1.5e-3, ', '0]'],
  'a list that ends like an object': ['[', '1,', '0}'],
  'an object that ends like a list': ['{', '"a":[],', '"b":1]'],
  'a list without an end': ['[', '{},', '0'],
  'a list with a comma too many': ['[', '[],', ']'],
  'a list with a number that is none': ['[', '1,', '01]'],
  'a list with a word that is none': ['[', 'true,false,null,', 'nul]'],
  'an object without a colon': ['{', '"a":1,', '"b" 1}'],
  'an object with a name that is none': ['{', '"a":1,', 'b:1}'],
  'a text with a control character': ['"', 'x', '\n"'],
  'a text with an escape that is none': ['"', '\\n\\u00e9', '\\u00g0"'],
  'a text': ['"', '\\"ä💥\\u00E9', '"'],
  'a number': ['-', '1', '.5E+1'],
  'a number that is none': ['', '1', '.e1'],
} as const;

const longCases = Object.entries(longValues).flatMap(([title, [before, part, behind]]) => {
  const value = before + part.repeat(Math.ceil(300_000 / part.length)) + behind;
  const like = (other: string) => ['[1]', '[1]', '[1]', other, '[1]'].map((x) => `{"value_date":"d","x":${x}}`).join();
  return [
    { title: `${title} that nobody asks for`, body: `{"x":${value},"assets":[{"asset_id":"a","asset_name":"N"}]}` },
    { title: `${title} in a row`, body: rowWith(`[{"name":"m","value":1,"x":${value}}],"value_date":"e"`) },
    { title: `${title} in place of metrics`, body: rowWith(value) },
    { title: `${title} in a row like others`, body: assetWith(`"results":[${like(value)}]`) },
  ];
});

export const keptBodies: readonly KeptBody[] = [
  {
    title: 'more templates than are kept',
    selection: onSeries('rows { metrics { name value } }'),
    body: assetWith(
      `"results":[${Array.from({ length: 1025 }, (_, index) => `{"metrics":[{"name":"${index}","value":1}]}`).join()}]`,
    ),
  },
  ...longCases.map(({ title, body }) => ({
    title,
    selection: onSeries('asset { name } rows { valueDate metrics { name } }'),
    body,
  })),
  ...rowsAmongOthers.map(({ title, body }) => ({
    title,
    selection: onSeries('rows { valueDate metrics { name value } } columns { valueDates metrics { values } }'),
    body,
  })),
  ...Object.entries(oddBodies).flatMap(([title, body]) =>
    onRows.map((selection) => ({ title: `${title}: ${selection}`, selection: onSeries(selection), body })),
  ),
  {
    title: 'texts that take three bytes for each of their characters',
    selection: onSeries('asset { name }'),
    body: `{"assets":[${[3, 15_000, 21_000, 340_000]
      .map((length) => `{"asset_id":"${length}","asset_name":"${'€'.repeat(length)}"}`)
      .join()}]}`,
  },
];
