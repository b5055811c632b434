import fc from 'fast-check';
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { mismatchOf } from '../../test/oracle/compare.ts';
import { datasetSeeds, randomService } from '../../test/oracle/random-service.ts';
import { respond } from '../../test/oracle/respond.ts';
import { randomCases } from '../../test/support/random-cases.ts';
import { documentOf, type Item, selection } from '../../test/support/random-selection.ts';
import { assetSeries, ofAllSeries, plainVariables, variableTypes } from '../../test/support/results-selections.ts';
import { BodyError, type PathError, Selection } from '../index.ts';
import { type AskedByDocument, askedBy } from './asked.ts';
import { heldBody, inPieces, readBodies, unlimited, type Written } from './read.ts';

/** Whatever is selected of any body, in any pieces: it is what the oracle of test/oracle says. */

const ID = 'dataset';

const field = (name: string, items: readonly Item[]): Item => ({
  kind: 'field',
  field: name,
  key: undefined,
  directives: '',
  items,
});

/** The series of a dataset, and what is computed from all of them. */
const documents = fc
  .record({ series: fc.option(assetSeries(0)), ofAll: fc.option(selection('DatasetResults', ofAllSeries)) })
  .filter(({ series, ofAll }) => series !== null || ofAll !== null)
  .map(({ series, ofAll }) => {
    const list = series === null ? [] : [field('series', [field('nodes', series)])];
    const results = field('results', [...list, ...(ofAll ?? [])]);
    return documentOf([{ name: undefined, items: [field('dataset(id: $id)', [results])] }], variableTypes);
  });

const codes: Partial<Record<PathError['kind'], string>> = {
  tooLarge: 'UPSTREAM_RESPONSE_TOO_LARGE',
  limitExceeded: 'REQUEST_LIMIT_EXCEEDED',
  invalidArgument: 'BAD_USER_INPUT',
};

const problems: Partial<Record<PathError['kind'], string>> = {
  wrongDate: 'has a date of a wrong type',
  wrongMetrics: 'has a list of metrics of a wrong type',
  wrongValue: 'has a value of a wrong type',
  noDate: 'has no date',
  unreadableDate: 'has a date that cannot be read',
};

function errorOf({ path, kind, row, entry, origin }: PathError, { keys, series }: AskedByDocument) {
  const ofEntry = entry === undefined ? '' : ` of series ${entry}`;
  const message = row === undefined ? kind : `: row ${row}${ofEntry} ${problems[kind] ?? kind}`;
  // Without a list there is no series.
  if (path.length === 0)
    return { message, path: keys.slice(0, 3), locations: [series], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } };
  // What is computed from all series is beside them.
  const to = typeof path[0] === 'string' ? keys.slice(0, 2) : keys;
  return {
    message,
    path: [...to, ...path],
    locations: [origin],
    extensions: { code: codes[kind] ?? 'UPSTREAM_INVALID_RESPONSE' },
  };
}

const drawings = fc.record({
  document: documents,
  variables: fc.record(plainVariables),
  seed: datasetSeeds({ bytes: Number(process.env.ORACLE_BYTES ?? 2000) }),
  pieces: fc.oneof(fc.constant([1 << 18]), fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 3 })),
});

it('is what the oracle says', { tags: ['random'], timeout: 600_000 }, () => {
  let whole = 0;
  fc.assert(
    fc.property(drawings, ({ document: text, variables: drawn, seed, pieces }) => {
      const service = randomService(new Map([[ID, seed]]));
      const { status, body } = service.results(ID, {});
      fc.pre(status === 200);
      const document = parse(text);
      const variables: Record<string, unknown> = JSON.parse(JSON.stringify({ ...drawn, id: ID }));
      const expected = respond(document, variables, service);
      const asked = askedBy(document, variables, ID);
      fc.pre(asked !== undefined);
      const { keys, entries, all } = asked;
      const bytes = Buffer.from(body);
      // What is computed from all has taken the rows of this entry when it turns out to have no id.
      fc.pre(all.length === 0 || !body.includes('{"results":['));
      const selection = new Selection({ ...(entries && { entries }), all });
      // Rows of which nothing is selected are not read.
      const readsRows =
        all.length > 0 || entries?.some(({ field: name }) => !['asset', 'version', 'constant'].includes(name));
      const mismatch = ({ list, values, errors, reader }: Written, ofOthers: number) => {
        const [dataset, results, series, nodes] = keys as [string, string, string, string];
        const ofList = entries && { [series]: list === 'null' ? null : { [nodes]: JSON.parse(list) } };
        const ofAll = all.map(({ key }, index) => [key, JSON.parse(values[index] as string)]);
        const data = { [dataset]: { [results]: { ...ofList, ...Object.fromEntries(ofAll) } } };
        const omission = { message: '', path: [dataset, results], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } };
        const omitted = reader.head.omitted + ofOthers > 0 ? [omission] : [];
        const response = { data, errors: [...errors.map((error) => errorOf(error, asked)), ...omitted] };
        const omissions = readsRows === true ? expected.omissions : [];
        return mismatchOf(JSON.parse(JSON.stringify(response)), { ...expected, omissions });
      };
      let wrong: string | undefined;
      try {
        const held = heldBody(bytes);
        const read = readBodies(selection, [inPieces(bytes, pieces)], unlimited, { held });
        wrong = mismatch(read, 0);
        if (wrong === undefined && held.length > 0) {
          // The same in two bodies that have a part of the entries each. What stands between entries is in neither.
          const middle = held.length >> 1;
          const bodies = [...held.bodies(0, middle), ...held.bodies(middle)];
          wrong = mismatch(readBodies(selection, bodies, unlimited, { held }), read.reader.head.omitted);
        }
      } catch (error) {
        if (!(error instanceof BodyError)) throw error;
        if (error.kind === 'repeated') return;
        expect(expected.result.errors?.length ?? 0, `${error.message}\n${body}`).toBeGreaterThan(0);
        return;
      }
      if (wrong !== undefined)
        throw new Error(`${wrong}\n${text}\n${JSON.stringify(variables)}\n${body.slice(0, 4000)}`);
      if ((expected.result.errors?.length ?? 0) === 0) whole += 1;
    }),
    { numRuns: randomCases(20_000) },
  );
  expect(whole).toBeGreaterThan(0);
});
