import { describe, expect, it } from 'vitest';
import { ofDataset, start } from '../support/harness.ts';
import { anyOrder, day1, day2on, filters, ids, later, NESTED, NODES, nested, nodes } from '../support/merging.ts';

describe('3.2 Fewest calls', () => {
  interface Case {
    title: string;
    selection: string;
    data: object;
    filters: object[];
  }

  const rows: Case[] = [
    {
      title: 'identical filters share one POST, however they are written',
      selection: `
        one: results(filter: { ${ids('a', 'b')}, timeRange: { start: "2024-01-01T00:00:00Z", stop: 1704067200000 } }) ${NODES}
        two: results(filter: { timeRange: { stop: "1704067200000", start: "2024-01-01T01:00:00+01:00" }, ${ids('a', 'b', 'a')} }) ${NODES}`,
      data: { one: nodes('ab', 1), two: nodes('ab', 1) },
      filters: [{ mo_ids: ['a', 'b'], ...day1.rest }],
    },
    {
      title: 'overlapping lists of one time range are put together into one POST',
      selection: `
        one: results(filter: { ${ids('a', 'b')}, ${day1.graphql} }) ${NODES}
        two: results(filter: { ${ids('b', 'c')}, ${day1.graphql} }) ${NODES}
        three: results(filter: { ${ids('b', 'a')}, ${day1.graphql} }) ${NODES}`,
      data: { one: nodes('ab', 1), two: nodes('bc', 1), three: nodes('ab', 1) },
      filters: [{ mo_ids: ['a', 'b', 'c'], ...day1.rest }],
    },
    {
      title: 'ranges that differ in one bound only are different',
      selection: `
        both: results(filter: { ${day1.graphql} }) ${NODES}
        start: results(filter: { timeRange: { start: 1704067200000 } }) ${NODES}
        stop: results(filter: { timeRange: { stop: 1704067200000 } }) ${NODES}`,
      data: { both: nodes('abc', 1), start: nodes('abc', 3), stop: nodes('abc', 1) },
      filters: [day1.rest, { time_range: { start_date: 1704067200000 } }, { time_range: { stop_date: 1704067200000 } }],
    },
    {
      title: 'a filter beside all assets of the same time range is one POST, beside those of another two',
      selection: `
        all: results(filter: { ${day1.graphql} }) ${NODES}
        same: results(filter: { ${ids('a')}, ${day1.graphql} }) ${NODES}
        other: results(filter: { ${ids('a')}, ${day2on.graphql} }) ${NODES}`,
      data: { all: nodes('abc', 1), same: nodes('a', 1), other: nodes('a', 2) },
      filters: [day1.rest, { mo_ids: ['a'], ...day2on.rest }],
    },
    {
      title: 'attributes ride along with all assets, of all time or of a time range',
      selection: `
        results(filter: { ${day1.graphql} }) ${NODES}
        asset(assetId: "b") { name }`,
      data: { results: nodes('abc', 1), asset: { name: 'Field b' } },
      filters: [day1.rest],
    },
    {
      title: 'attributes that the POSTs of the time ranges lack are asked for without one, together in one POST',
      selection: `
        one: asset(assetId: "a") { name series(filter: { ${later.graphql} }) { rowCount } }
        two: asset(assetId: "b") { name series(filter: { ${later.graphql} }) { rowCount } series1: series(filter: { ${day1.graphql} }) { rowCount } }
        three: asset(assetId: "c") { name series(filter: { timeRange: { start: 1800000000000 } }) { rowCount } }`,
      data: {
        one: { name: 'Field a', series: null },
        two: { name: 'Field b', series: null, series1: { rowCount: 1 } },
        three: { name: 'Field c', series: null },
      },
      filters: [
        { mo_ids: ['a', 'b'], ...later.rest },
        { mo_ids: ['b'], ...day1.rest },
        { mo_ids: ['c'], time_range: { start_date: 1800000000000 } },
        { mo_ids: ['a', 'c'] },
      ],
    },
    {
      title: 'an asset that the service does not report is asked for once',
      selection: `
        attributes: asset(assetId: "x") { name }
        both: asset(assetId: "y") { name series { rowCount } }
        series: asset(assetId: "z") { series { rowCount } }`,
      data: { attributes: null, both: null, series: null },
      filters: [{ mo_ids: ['x', 'y', 'z'] }],
    },
    {
      title: 'the attributes of entries come with the entries',
      selection: `results(filter: { ${ids('a')}, ${day1.graphql} }) { series { nodes { asset { name surfaceAreaM2 } } } }`,
      data: { results: { series: { nodes: [{ asset: { name: 'Field a', surfaceAreaM2: 1200.5 } }] } } },
      filters: [{ mo_ids: ['a'], ...day1.rest }],
    },
    {
      title: 'the series of the assets of entries are one POST more',
      selection: `results ${NESTED(`(filter: { ${day1.graphql} })`)}`,
      data: { results: nested('abc', 1) },
      filters: [{}, { mo_ids: ['a', 'b', 'c'], ...day1.rest }],
    },
    {
      title: 'the series of the assets of entries are no POST more where these entries hold them: of a list',
      selection: `results(filter: { ${ids('a', 'b')}, ${day1.graphql} }) ${NESTED(`(filter: { ${day1.graphql} })`)}`,
      data: { results: nested('ab', 1) },
      filters: [{ mo_ids: ['a', 'b'], ...day1.rest }],
    },
    {
      title: 'the series of the assets of entries are no POST more where another filter holds them',
      selection: `
        results ${NESTED(`(filter: { ${day1.graphql} })`)}
        beside: results(filter: { ${day1.graphql} }) ${NODES}`,
      data: { results: nested('abc', 1), beside: nodes('abc', 1) },
      filters: [{}, day1.rest],
    },
  ];

  it.each(rows)('$title', async ({ selection, data, filters: expected }) => {
    const bed = await start();
    const { body } = await bed.query(ofDataset(selection));
    expect(body).toEqual({ data: { dataset: data } });
    expect(anyOrder(filters(bed))).toEqual(anyOrder(expected));
  });
});
