import fc from 'fast-check';
import type { Fault } from '../../simulator/src/simulator.ts';
import { dataset } from '../support/harness.ts';

/** What the REST service may answer with in place of what it has. */

const statuses = fc.constantFrom(400, 401, 403, 404, 405, 409, 429, 500, 503, 302, 204).map((status) => ({ status }));

const broken = fc.constantFrom<Fault>({ reset: true }, { cutAfterBytes: 5 }, { body: '' }, { body: '<html>' });

/** What becomes of the metadata answer. */
export const metadataFaults: fc.Arbitrary<Fault | undefined> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: statuses },
  { weight: 1, arbitrary: broken },
  { weight: 2, arbitrary: fc.jsonValue().map((value) => ({ body: JSON.stringify(value) })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...Object.keys(dataset.metadata)), fc.jsonValue())
      .map(([field, value]) => ({ body: JSON.stringify({ ...dataset.metadata, [field]: value }) })),
  },
);

/** A failure of any call. */
export const failures: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 4, arbitrary: statuses },
  { weight: 1, arbitrary: broken },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Fault>(
      { status: 400, body: '{"label":"VALIDATION_EXCEPTION"}' },
      { status: 403, body: '{"error":{"label":"UNAUTHORIZED"}}' },
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 503, headers: { 'retry-after': '1' }, body: 'busy' },
      { status: 500, body: '[' },
    ),
  },
);
