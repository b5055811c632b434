import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { gate, getSummary, ofDataset, postResults, start } from '../support/harness.ts';
import { hold, MEGABYTE, resultsOf } from '../support/memory-budget.ts';
import { readSample, startMeasured } from '../support/metrics.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/*
 * Clause 3.43 of docs/contract.md in detail.
 * Results as files. `rowsFile` and the other files of `DatasetResults` have URLs below `/download/results/`, made without a
 * call: `ticketUrl` (clause 34; the ticket also holds all arguments and the filter), and `url` without a secret
 * (`{dataset id}?format=csv&layout=long&assetId=a&assetId=b&start=0&stop=1`, where times may also be RFC 3339 date-times or
 * dates, and an empty `assetId` alone stands for no assets). A URL of more than 14,000 characters is
 * `REQUEST_LIMIT_EXCEEDED`. If only files are selected on results, there is no results call.
 *
 * `GET` and `HEAD` of such a path make one results call when the file is downloaded (none for no assets), and for
 * Parquet and Arrow a metadata call before it. A parameter that is unknown, repeated or invalid is a 400, so that a
 * typing error never selects everything. The name of the file is `dataset-<id>-results-<digest>.<format>`, for spreadsheets
 * `….csv`; the other headers, the limits and the errors before the first byte are those of clause 35.
 *
 * layout / columns / a row for:
 * - `LONG`: `asset_id`, `asset_name`, `asset_version`, `value_date`, `metric`, `value`; each metric of each date; a
 *   date without metrics has one row with nulls
 * - `WIDE`: the first four, and one for each metric in the order of their first appearance; each date; if a row repeats
 *   a metric, the first one counts
 *
 * The rows are in the order received, and each entry has the name and the version of its own. A column whose name is
 * empty or taken gets `_2`, `_3`, … A lone surrogate in a text becomes U+FFFD. The types are the same in every file,
 * but for dates: text; a 64-bit integer for `asset_version`; a double for values.
 *
 * In Parquet and Arrow `value_date` has the type that all dates of the response have: 32-bit days if each is an RFC 3339
 * date, and 64-bit timestamps in UTC if each is a date or date-time, as `periods` reads them (clause 45). They are in
 * milliseconds, or the coarsest unit down to nanoseconds that keeps every digit. Nulls have any type; if there are no dates, it is
 * that of milliseconds. The dates are text if one is another text or longer than 128 bytes, or if no unit keeps all digits of all
 * in 64 bits.
 *
 * CSV and NDJSON have dates as the service sent them, and every digit of numbers, except that -0 is 0. In CSV a null is
 * an empty field, and an empty text is `""`. For spreadsheets it begins with a byte order mark. An apostrophe precedes a text that
 * one would run as a formula, or change: what looks like a number, an amount, a date, a time, a logical value or an error, but for
 * an integer of at most 15 digits without zeros before it; also behind white space and invisible characters; and a text that begins
 * with an apostrophe. Versions of more than 15 digits are such texts. A date is `2024-03-01 12:00:00` in UTC (with milliseconds if it
 * has some; further digits are cut off), a day, a month or a year its first day, and the name of its column ends in `_utc`. A date
 * that cannot be read, or that is outside of the years 0000 to 9999 in UTC, is a text. NDJSON has a JSON object in each line, with integers as numbers.
 *
 * Parquet has row groups, compressed with Zstandard, and Arrow record batches in its file format: of at most 16,384
 * rows, and fewer where they have more than 64 columns or very long texts. In Parquet only columns of dates that have a
 * type have statistics: the minimum, the maximum and the number of nulls of each row group. In Arrow `asset_id`, `asset_name` and
 * `metric` have dictionaries with 32-bit indices, each unless it had more than 16,384 texts or 524,288 characters, or
 * none. The metadata of both has `dataset_id`, `dataset_name`, `attribution_text`, `attribution_file`, `of`, `layout`,
 * `filter` and `created`, as far as the service sends them, `value_date_type`: `date`, `timestamp` or `text`, and
 * `invalid_values`: how many values of the file are missing because they are the text NaN, Infinity or -Infinity. A Parquet file
 * breaks off with more than 131,072 columns in all of its row groups, which only a `WIDE` file with hundreds of metrics
 * can have. A `WIDE` file has at most 10,000 columns of metrics, as Parquet or Arrow 1000; more are
 * `UPSTREAM_RESPONSE_TOO_LARGE` before the first bytes.
 *
 * A `LONG` file of CSV or NDJSON is written while the results arrive, once a megabyte of them is there, and no faster
 * than the client reads, and so is a `WIDE` one with `metrics`. Nothing is held, but the lines of an asset whose attributes come behind its
 * rows. A file of computed values is written in the same way; as Parquet or Arrow it holds its table. Each other file holds the response as an operation does (clauses 27, 29 and 33), and reads it twice. A file counts for `MEMORY_BUDGET`, with
 * 3 MB for its results, 2 MB for text, and 8 MB for Parquet and Arrow. It waits for memory as long as an operation may take;
 * one that gets none ends as a body does (clause 33): before its first bytes with a code, after them by breaking the
 * connection. A response that only the end of its connection ends is read, too: JSON shows where it ends. What would be
 * an error in a GraphQL response (an omitted entry, a value of another type, a number that is not finite; but not these
 * texts) ends the file,
 * and so does a second list of assets or of rows of one, a second id, name or version of an asset, and a row or an attribute of more than
 * 1 MiB: before the first bytes with `UPSTREAM_INVALID_RESPONSE`, after them by breaking
 * the connection, as in clause 35. So a file that ends is complete.
 */
describe('3.43 Results as files', () => {
  const calls: Record<string, string[]> = { csv: [], ndjson: [], parquet: [getSummary()], arrow: [getSummary()] };

  it.each(Object.entries(calls))(
    'have neither the deadline nor the most calls of an operation: %s',
    async (format, before) => {
      // No more than those before the call for the results.
      const env = { OPERATION_TIMEOUT_MS: '300', UPSTREAM_MAX_CALLS: String(Math.max(1, before.length)) };
      const bed = await start({ env });
      bed.simulator.intercept(async ({ operation, datasetId }) => {
        if (datasetId === 'other') return { hang: true };
        if (operation === 'getDatasetMetadata') return undefined;
        // As long as an operation may take.
        const { body } = await bed.query(ofDataset('name'), { variables: { id: 'other' } });
        expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
        return undefined;
      });
      const file = await receive(bed, resultsPath(`format=${format}&of=statistics`));
      expect([file.status, file.isComplete]).toEqual([200, true]);
      expect(bed.calls()).toEqual([...before, postResults({}), getSummary('other')]);
    },
  );

  it.each(['csv', 'parquet'])('wait for memory after the deadline of an operation, too: %s', async (format) => {
    const writing = format === 'parquet' ? 8 : 2;
    const budget = (writing + 3 + 5) * MEGABYTE;
    const bed = await startMeasured({ env: { OPERATION_TIMEOUT_MS: '6000', MEMORY_BUDGET: String(budget) } });
    const [first, rest] = [gate(), gate()];
    const rows = Array.from({ length: 1500 }, (_, day) => ({
      value_date: new Date(Date.UTC(2000, 0, 1 + day)).toISOString(),
      metrics: Array.from({ length: 8 }, (_, metric) => ({ name: `m${metric}`, value: day })),
    }));
    const assets = Array.from({ length: 20 }, (_, index) => JSON.stringify({ asset_id: `a${index}`, results: rows }));
    bed.simulator.intercept(async ({ operation, datasetId }) => {
      if (datasetId === 'other') return { hang: true };
      if (operation === 'getDatasetMetadata') return undefined;
      await first.opened;
      return { body: inTwo(`{"assets":[${assets}]}`, rest.opened) };
    });
    const file = receive(bed, resultsPath(`format=${format}&of=byDate&quantile=0.5`));
    await eventually(() => expect(bed.calls()).toContain(postResults({})));
    const { body } = await bed.query(ofDataset('name'), { variables: { id: 'other' } });
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    // All memory that is left, but for small requests.
    const { letGo, answer } = await hold(bed, resultsOf(5 * MEGABYTE - 70_000));
    first.open();
    await eventually(async () => expect(await readSample(bed, 'rest_memory_waiting_responses')).toBe(1));
    letGo();
    rest.open();
    expect((await answer).body.errors).toBeUndefined();
    const { status, isComplete } = await file;
    expect([status, isComplete]).toEqual([200, true]);
  });
});

/** A body in two halves. */
async function* inTwo(body: string, second: Promise<void>): AsyncGenerator<Buffer> {
  const half = body.length / 2;
  yield Buffer.from(body.slice(0, half));
  await second;
  yield Buffer.from(body.slice(half));
}
