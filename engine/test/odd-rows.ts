/** A row as it is written: its date, the value of `a`, and its metrics, each a name and a value. */
const shown = (date: string, value: string, ...metrics: [name: string, value: string][]) =>
  rowText(date, value, `[${metrics.map(([name, number]) => `{"name":${name},"value":${number}}`).join()}]`);
const rowText = (date: string, value: string, metrics: string) =>
  `{"valueDate":${date},"metrics":${metrics},"value":${value}}`;

/** Rows that cannot be copied as they are, or are not as usual, and what is written of them. */
export const oddRows: readonly [what: string, row: string, written: string][] = [
  [
    'a repeated metric: the first counts where there is one, and no other has to be right',
    '{"value_date":"d","metrics":[{"name":"a","value":1},{"name":"a","value":2},{"name":"a","value":"x"}]}',
    shown('"d"', '1', ['"a"', '1'], ['"a"', '2'], ['"a"', 'null']),
  ],
  [
    'repeated members: the last counts',
    '{"value_date":"c","metrics":[{"name":"b","value":true}],"value_date":"d","metrics":[{"value":3,"name":"b","value":1,"name":"a"}]}',
    shown('"d"', '1', ['"a"', '1']),
  ],
  [
    'repeated members of wrong types, of which the last is right',
    '{"value_date":5,"metrics":6,"value_date":"d","metrics":[{"name":[],"value":"x","name":"a","value":1}]}',
    shown('"d"', '1', ['"a"', '1']),
  ],
  [
    'repeated members, of which the last is null',
    '{"value_date":5,"metrics":[5],"value_date":null,"metrics":null}',
    rowText('null', 'null', 'null'),
  ],
  [
    'repeated members with other names',
    '{"value_date":"c","value\\u005fdate":"d","m\\u0065trics":[{"n\\u0061me":"a","value":1,"\\u0076alue":2}]}',
    shown('"d"', '2', ['"a"', '2']),
  ],
  [
    'escapes in names and values',
    '{"value\\u005fdate":"\\u0064","metrics":[{"name":"\\u0061","v\\u0061lue":1},{"name":"a","value":2}]}',
    shown('"\\u0064"', '1', ['"\\u0061"', '1'], ['"a"', '2']),
  ],
  [
    'lone surrogates',
    '{"value_date":"\\ud800","metrics":[{"name":"\\udca5","value":1},{"name":"\\ud83d\\udca5","value":2}]}',
    shown('"\\ud800"', 'null', ['"\\udca5"', '1'], ['"\\ud83d\\udca5"', '2']),
  ],
  [
    'characters of one to four bytes',
    '{"value_date":"aé\u2028💥","metrics":[{"name":"é💥","value":1}]}',
    shown('"aé\u2028💥"', 'null', ['"é💥"', '1']),
  ],
  [
    '-0',
    '{"metrics":[{"name":"a","value":-0},{"name":"b","value":-0.0},{"name":"c","value":-0e9},{"name":"d","value":-1e-400}]}',
    shown('null', '0', ...['a', 'b', 'c', 'd'].map((name): [string, string] => [`"${name}"`, '0'])),
  ],
  [
    'numbers as they were written',
    '{"metrics":[{"name":"a","value":1.50},{"name":"b","value":1E+2},{"name":"c","value":123456789012345678901},{"name":"d","value":1e-400}]}',
    shown('null', '1.50', ['"a"', '1.50'], ['"b"', '1E+2'], ['"c"', '123456789012345678901'], ['"d"', '1e-400']),
  ],
  [
    'numbers that are infinite, and texts of numbers that JSON does not have',
    '{"metrics":[{"name":"a","value":1e400},{"name":"b","value":-1e400},{"name":"c","value":"-Infinity"},{"name":"d","value":"nan "}]}',
    shown('null', 'null', ...['a', 'b', 'c', 'd'].map((name): [string, string] => [`"${name}"`, 'null'])),
  ],
  [
    'a date of a wrong type',
    '{"value_date":{"a":"}"},"metrics":[{"name":"a","value":1}]}',
    shown('null', '1', ['"a"', '1']),
  ],
  ['metrics that are a text', '{"value_date":"d","metrics":"a"}', rowText('"d"', 'null', 'null')],
  [
    'a name of a wrong type',
    '{"value_date":"d","metrics":[{"name":{"name":"a"},"value":1},{"name":null,"value":2}]}',
    shown('"d"', 'null', ['null', '1'], ['null', '2']),
  ],
  [
    'entries that are no metrics',
    '{"value_date":"d","metrics":[null,5,{"name":"a","value":1},[],"x"]}',
    shown('"d"', '1', ['"a"', '1']),
  ],
  [
    'members in other orders, with white space and unknown members',
    ' {\n"x" : [1, {"value_date":"y"}] ,"metrics":[ {"value":1,"unit":"m","name":"a"} ,{ } ], "value_date" : "d" }',
    shown('"d"', '1', ['"a"', '1'], ['null', 'null']),
  ],
  ['nothing', '{}', rowText('null', 'null', 'null')],
  ['no metrics', '{"metrics":[]}', shown('null', 'null')],
  [
    'no values',
    '{"value_date":"d","metrics":[{"name":"a"},{"name":"b","value":null},{"value":1}]}',
    shown('"d"', 'null', ['"a"', 'null'], ['"b"', 'null'], ['null', '1']),
  ],
];
