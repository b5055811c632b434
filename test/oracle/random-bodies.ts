import { parse } from 'graphql';
import { type Body, idsIn } from '../support/random-bodies.ts';
import { hasLostRows } from './body.ts';
import { mismatchOf } from './compare.ts';
import { serviceOf } from './field.ts';
import { type Reply, respond, type Service } from './respond.ts';
import { cursorOf } from './results.ts';
import type { Server } from './server.ts';

/** Comparisons on bodies of any bytes. */

/** A response of a deep document to a large body would fill the memory of the process, and the oracle takes long for one. */
export const LIMITED = { MAX_OPERATION_WORK: '5000000', UPSTREAM_MAX_CALLS: '500' };

/** Whether a document may have something that is made of all rows of a body. */
const isOfAllRows = (document: string) => /metricNames|statistics|byDate/.test(document);

/** Whether one of these limits, which the oracle does not know, cut a response off. */
const isCutOff = (text: string) =>
  text.includes('UPSTREAM_MAX_CALLS is 500') || text.includes('exceeds its work limit');

/**
 * Compares a response with what the oracle says of the body. Throws if it is wrong. `$after0` and `$after1` are the cursors of the
 * first two entries.
 *
 * @returns whether it was compared: not if a limit cut it off, if the service was asked for assets of a body that it cannot filter, or if something is
 *   made of rows that do not count
 */
export async function compareOn(
  server: Server,
  body: Pick<Body, 'bytes' | 'isFiltered'>,
  document: string,
  values: Record<string, unknown>,
  metadata: Reply,
): Promise<boolean> {
  const ids = document.includes('$after') ? idsIn(body.bytes(undefined, false)) : [];
  const cursors = { after0: cursorOf(0, String(ids[0])), after1: cursorOf(1, String(ids[1])) };
  const variables = JSON.parse(JSON.stringify({ ...values, ...cursors }));
  // Attributes may come with rows of any time range, so all ranges have the same entries.
  const { seen, service } = observed(serviceOf({ bytes: (assetIds) => body.bytes(assetIds, false) }), metadata);
  server.service = service;
  const text = await server.send(document, variables);
  if (text !== undefined && isCutOff(text)) return false;
  const expected = respond(parse(document), variables, service);
  if (seen.hasIds && !body.isFiltered) return false;
  const wrong = text === undefined ? 'the connection broke' : mismatchOf(JSON.parse(text), expected);
  if (wrong === undefined) return true;
  if (isOfAllRows(document) && hasLostRows(body.bytes(undefined, false).toString())) return false;
  throw new Error(`${wrong}\n${document}\n${JSON.stringify(variables)}\n${text?.slice(0, 3000)}`);
}

/** A service with other metadata, which notes whether it was asked for some assets. */
function observed(service: Service, metadata: Reply) {
  const seen = { hasIds: false };
  const results: Service['results'] = (id, filter) => {
    seen.hasIds ||= filter.assetIds !== undefined;
    return service.results(id, filter);
  };
  return { seen, service: { metadata: () => metadata, results } };
}
