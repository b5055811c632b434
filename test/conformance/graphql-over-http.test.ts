import { describe, expect, it } from 'vitest';
import { names, rowsOf } from '../support/doc-blocks.ts';
import { start, type TestBed } from '../support/harness.ts';
import { suites } from './suites.ts';

/** How many audits there are. */
const audits = { MUST: 13, SHOULD: 23, MAY: 25 };

/** What the audits report that are not passed, by their ids: all of them, or those of one kind. */
function verdictsOf(kind?: 'SHOULD'): Record<string, string> {
  const exceptions = rowsOf('test/conformance/audits.md', 'audit', 'kind', 'reported');
  return Object.fromEntries(
    exceptions
      .filter((row) => kind === undefined || row[1] === kind)
      .map((row) => names(row.join()) as [string, string]),
  );
}

/** The result of an audit. A failed MUST is an error, a failed SHOULD a warning, a failed MAY a notice. */
type AuditResult =
  | { id: string; name: string; status: 'ok' }
  | { id: string; name: string; status: 'notice' | 'warn' | 'error'; response: Response };

const { auditServer } = suites('graphql-http') as {
  auditServer(options: { url: string; fetchFn: typeof fetch }): Promise<AuditResult[]>;
};

/** Audits a subgraph twice, so that it knows the documents the second time. */
async function audit(headers: Record<string, string>) {
  const bed = await start();
  const first = await auditOnce(bed, headers);
  expect(await auditOnce(bed, headers)).toEqual(first);
  return first;
}

/** Audits a subgraph with further headers. Returns the number of audits and those that are not met. */
async function auditOnce({ subgraph, calls, log }: TestBed, headers: Record<string, string>) {
  const results = await auditServer({
    url: subgraph.url,
    fetchFn: (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), ...headers } }),
  });
  expect({ calls: calls(), log }).toEqual({ calls: [], log: [] });
  const of = (kind: string) => results.filter(({ name }) => name.startsWith(`${kind} `)).length;
  const unmet = results.filter((result) => result.status !== 'ok');
  const verdicts = unmet.map(async ({ id, status, response }) => [
    id,
    `${status} ${response.status} ${await codeOf(response)}`,
  ]);
  return {
    audits: { MUST: of('MUST'), SHOULD: of('SHOULD'), MAY: of('MAY') },
    unmet: Object.fromEntries(await Promise.all(verdicts)),
  };
}

async function codeOf(response: Response): Promise<string> {
  const { errors } = (await response.json()) as { errors: [{ extensions: { code: string } }] };
  return errors[0].extensions.code;
}

describe('GraphQL over HTTP, audited by graphql-http', () => {
  it('conforms, except for invalid documents and for GET without a header', async () => {
    expect(await audit({})).toEqual({ audits, unmet: verdictsOf() });
  });

  it('conforms for GET too, with a header that passes CSRF prevention', async () => {
    expect(await audit({ 'apollo-require-preflight': 'true' })).toEqual({ audits, unmet: verdictsOf('SHOULD') });
  });

  it('responds with 200 to invalid variables under application/json, as 7B9B intends', async () => {
    const { query } = await start();
    const { status, body } = await query('query CoerceFailure($id: ID!) { dataset(id: $id) { id } }', {
      variables: { id: null },
      headers: { accept: 'application/json' },
    });
    expect(body.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT' });
    expect(status).toBe(200);
  });
});
