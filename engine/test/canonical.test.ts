import { describe, expect, it } from 'vitest';
import { type AskedOfResults, BodyError, type PathError } from '../index.ts';
import { EVERYTHING, everything } from './ask.ts';
import { fieldsOf, type Short } from './fields.ts';
import { oddRows } from './odd-rows.ts';
import { inPieces, read } from './read.ts';
import { expectRight } from './right.ts';

/** Rows that are not as usual, byte for byte: a row that cannot be copied is written once in its canonical form, and read like any other. */

const asked: AskedOfResults = {
  entries: fieldsOf(
    ['rows', ['valueDate', ['metrics', ['name', 'value']], ['value', undefined, { metric: 'a' }]]],
    ['columns', ['valueDates', ['metrics', ['name', 'values']]]],
  ),
};

const bodyOf = (...rows: string[]) => Buffer.from(`{"assets":[{"asset_id":"1","results":[${rows.join()}]}]}`);

const lines = (errors: readonly PathError[]) => errors.map(({ path, kind }) => `${path.slice(1).join('.')} ${kind}`);

describe('A row with', () => {
  it.each(oddRows)('%s', (_, row, written) => {
    const body = bodyOf(row);
    for (const length of [1 << 18, 1, 2, 3, 7])
      expect(read(asked, inPieces(body, [length])).list).toContain(`[{"rows":[${written}],"columns":`);
  });

  it('values and dates has the same bytes in columns', () => {
    const row = '{"value_date":"\\u0064é","metrics":[{"name":"\\u0061","value":1.50},{"name":"b","value":-0.0}]}';
    expect(read(asked, [bodyOf(row)]).list).toContain(
      '"columns":{"valueDates":["\\u0064é"],"metrics":[{"name":"a","values":[1.50]},{"name":"b","values":[0]}]}',
    );
  });

  it('none of these, and with all of them one after another, are what the oracle says', () => {
    const rows = oddRows.map(([, row]) => row);
    const usual = '{"value_date":"2024","metrics":[{"name":"a","value":1},{"name":"b","value":2}]}';
    const body = bodyOf(
      ...rows.flatMap((row) => [usual, row, row, usual, usual]),
      'null',
      '5',
      '"x"',
      '[{}]',
      ...rows.toReversed(),
    );
    expect(expectRight(EVERYTHING, body.toString(), [[1 << 18], [1], [100, 3]])).toBeGreaterThan(50);
  });
});

describe('Errors of odd rows', () => {
  const odd = '{"value_date":5,"metrics":[{"name":"a","value":"x"},{"name":"b","value":"y"},{"name":6,"value":1}]}';
  const usual = '{"value_date":"d","metrics":[{"name":"a","value":1}]}';
  const body = bodyOf(usual, 'null', odd, '7', odd, usual);
  const errorsOf = (...fields: Short[]) => lines(read({ entries: fieldsOf(...fields) }, [body]).errors);

  it('are those of what is selected, at the index in the page', () => {
    expect(errorsOf(['rows', ['valueDate'], { first: 2, offset: 1 }])).toEqual([
      'rows.0.valueDate wrongType',
      'rows.1.valueDate wrongType',
    ]);
    expect(errorsOf(['rows', ['valueDate'], { first: 1, offset: 2 }])).toEqual(['rows.0.valueDate wrongType']);
    expect(errorsOf(['rows', ['valueDate'], { first: 1 }])).toEqual([]);
    expect(errorsOf(['rows', [['metrics', ['name']]], { first: 2 }])).toEqual(['rows.1.metrics.2.name wrongType']);
    expect(errorsOf(['rows', [['metrics', ['value'], { metrics: ['b'] }]], { first: 2 }])).toEqual([
      'rows.1.metrics.0.value wrongType',
    ]);
    expect(errorsOf(['rows', [['metrics', ['value'], { metrics: ['c'] }]]])).toEqual([]);
    expect(errorsOf(['rows', [['value', undefined, { metric: 'b' }]], { first: 2 }])).toEqual([
      'rows.1.value wrongType',
    ]);
    expect(errorsOf(['columns', ['valueDates'], { metrics: ['b'] }])).toEqual([
      'columns.valueDates.1 wrongType',
      'columns.valueDates.2 wrongType',
    ]);
    expect(errorsOf(['columns', [['metrics', ['name']]]], 'metricNames', 'rowCount')).toEqual([]);
  });

  it('are 1,000, and the others are counted', () => {
    const { list, errors, reader } = read({ entries: fieldsOf(['rows', ['valueDate', ['metrics', ['value']]]]) }, [
      bodyOf(...Array.from({ length: 400 }, () => odd)),
    ]);
    expect(errors).toHaveLength(1000);
    expect(errors.at(-1)?.path).toEqual([0, 'rows', 333, 'valueDate']);
    expect(reader.omittedErrors).toBe(200);
    expect(JSON.parse(list)[0].rows).toHaveLength(400);
  });
});

describe('Attributes', () => {
  const attributes = (members: string) => {
    const { list, errors } = read(
      { entries: fieldsOf(['asset', ['assetId', 'name', 'version', 'categories', 'surfaceAreaM2']]) },
      inPieces(Buffer.from(`{"assets":[{${members}}]}`), [3]),
    );
    return [list.slice(1, -1), lines(errors)];
  };
  const asset = (values: Readonly<Record<string, string>> = {}) => {
    const { name = 'null', version = 'null', categories = 'null', surfaceAreaM2 = 'null' } = values;
    return `{"asset":{"assetId":"1","name":${name},"version":${version},"categories":${categories},"surfaceAreaM2":${surfaceAreaM2}}}`;
  };

  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['integers of 64 bits are exact', '"asset_version":9223372036854775807', { version: '"9223372036854775807"' }],
    ['and as low as they go', '"asset_version":-9223372036854775808', { version: '"-9223372036854775808"' }],
    ['-0 is 0', '"asset_version":-0,"asset_surface_area_m2":-0.0', { version: '"0"', surfaceAreaM2: '0' }],
    ['nulls in lists are passed over', '"asset_categories":[ null,"\\u0061",null ]', { categories: '["a"]' }],
    [
      'the last of repeated ones counts',
      '"asset_name":5,"asset_version":1.5,"asset_name":"\\ud800","asset_version":2',
      { name: '"\\ud800"', version: '"2"' },
    ],
    ['of which the last is null', '"asset_name":"x","asset_name":null,"asset_version":"x","asset_version":null', {}],
    ['names have escapes', '"asset\\u005fname":"x"', { name: '"x"' }],
  ])('%s', (_, members, expected) => {
    expect(attributes(`"asset_id":"1",${members}`)).toEqual([asset(expected), []]);
  });

  it.each([
    [
      'version',
      'asset_version',
      '1.0 1e3 9223372036854775808 -9223372036854775809 "1" true [] {} 0.5 11111111111111111111',
    ],
    ['surfaceAreaM2', 'asset_surface_area_m2', '1e400 -1e400 "1" true [1] {} "NaN"'],
    ['name', 'asset_name', '1 false ["x"] {"x":"y"}'],
    ['categories', 'asset_categories', '"x" 1 [1] ["x",true] [["x"]] {} {"0":"x","length":1}'],
  ])('of a wrong type are null: %s', (key, name, values) => {
    for (const value of values.split(' '))
      expect(attributes(`"${name}":${value},"asset_id":"1"`), value).toEqual([asset(), [`asset.${key} wrongType`]]);
  });
});

describe('A body of which', () => {
  it.each([
    ['the list of assets is an object', '{"assets":{"asset_id":"1"}}'],
    ['rows are no list', '{"assets":[{"asset_id":"1","results":"x"},{"asset_id":"2","results":{"value_date":"d"}}]}'],
    ['rows are null', '{"assets":[{"asset_id":"1","results":null},{"asset_id":"2"}]}'],
    ['rows are no objects', '{"assets":[{"asset_id":"1","results":[5,"x",null,[{}],true]}]}'],
    ['an asset stands twice', '{"assets":[{"asset_id":"1","results":[{}]},{"asset_id":"1","asset_version":2}]}'],
    ['there is a byte order mark', '\ufeff {"assets":[]}'],
  ])('%s', (_, body) => void expectRight(EVERYTHING, body, [[4]]));

  it('ids are repeated: the last one counts', () => {
    const body = '{"processing_id":5,"assets":[],"processing_id":"p","source_id":"s","source_id":null}';
    const { processingId, sourceId, errors } = read(everything, inPieces(Buffer.from(body), [4])).reader.head;
    expect([processingId, sourceId, errors]).toEqual(['p', null, {}]);
  });

  it.each([
    '{"assets":5,"assets":null,"assets":{},"assets":[{"asset_id":"1"}]}',
    '{"assets":5,"assets":null}',
    '{"assets":5,"assets":{}}',
    '{"assets":null,"assets":[]}',
  ])('nothing was made of the list of assets: the last one counts, but not in a file: %s', (body) => {
    expectRight(EVERYTHING, body, [[4]]);
    expect(() => read({ entries: fieldsOf(['rowCount']), isPlain: true }, [Buffer.from(body)])).toThrow(
      new BodyError('repeated'),
    );
  });

  it('the list of assets is repeated: what is computed from all entries is that of the last one', () => {
    const one = (value: string) => `[{"asset_id":"1","results":[{"metrics":[{"name":"a","value":${value}}]}]}]`;
    const all = fieldsOf(['statistics', ['name', 'count', 'sum']], ['metricNames']);
    const first =
      '[{"asset_id":"1","results":[{"value_date":5,"metrics":[{"name":"b","value":1},{"name":"c","value":"x"}]},5]},{}]';
    const { values, errors, reader } = read({ all }, [Buffer.from(`{"assets":${first},"assets":${one('2')}}`)]);
    const last = read({ all }, [Buffer.from(`{"assets":${one('2')}}`)]);
    expect({ values, errors, omitted: reader.head.omitted }).toEqual({ values: last.values, errors: [], omitted: 0 });
  });

  it.each([
    ['there are lists of assets', '{"assets":[],"assets":[]}', 'repeated'],
    ['the second list of assets is null', '{"assets":[],"assets":null}', 'repeated'],
    ['all is unknown', '{"error":{"assets":[]}}', 'unknown'],
    ['the top is a list', '[]', 'notJson'],
    ['the top is a text', '"assets"', 'notJson'],
    ['nothing is there', '', 'incomplete'],
    ['only white space is there', ' \n', 'incomplete'],
    ['something is behind it', '{"assets":[]}{', 'notJson'],
    ['there are two byte order marks', '\ufeff\ufeff{"assets":[]}', 'notJson'],
    ['the byte order mark is not at the start', ' \ufeff{"assets":[]}', 'notJson'],
  ])('%s is an error', (_, body, kind) => {
    expect(() => read(everything, inPieces(Buffer.from(body), [4]))).toThrow(expect.objectContaining({ kind }));
  });

  it.each([
    ['too long', 'c080'],
    ['half a pair', 'eda080'],
    ['beyond Unicode', 'f4908080'],
    ['cut', 'e28080'.slice(0, 4)],
    ['out of place', '80'],
    ['of no character', 'ff'],
  ])('a character is %s is an error, in any member', (_, hex) => {
    const wrong = Buffer.from(hex, 'hex').toString('latin1');
    for (const body of [
      `{"x":"${wrong}","assets":[]}`,
      `{"x":{"${wrong}":1},"assets":[]}`,
      `{"assets":[{"asset_id":"${wrong}"}]}`,
      `{"assets":[{"asset_id":"1","results":[{"value_date":"${wrong}"}]}]}`,
    ])
      for (const length of [1, 2, 1000])
        expect(() => read(everything, inPieces(Buffer.from(body, 'latin1'), [length]))).toThrow(
          expect.objectContaining({ kind: 'notUtf8' }),
        );
  });
});
