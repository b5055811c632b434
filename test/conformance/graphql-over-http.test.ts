import { describe, expect, it } from 'vitest';
import { start } from '../harness.ts';
import { suites } from './suites.ts';

/** One audit's verdict. What is not met is an error where it is a MUST, a warning for a SHOULD, a notice for a MAY. */
type AuditResult =
  | { id: string; name: string; status: 'ok' }
  | { id: string; name: string; status: 'notice' | 'warn' | 'error'; response: Response };

const { auditServer } = suites('graphql-http') as {
  auditServer(options: { url: string; fetchFn: typeof fetch }): Promise<AuditResult[]>;
};

/**
 * Not met by design: documents that do not parse or validate are 400 for every media type (section 4). The one of 7B9B
 * has a variable that it does not use, and so does not validate.
 */
const refusedDocuments = {
  '572B': 'warn 400 GRAPHQL_PARSE_FAILED',
  FDE2: 'warn 400 GRAPHQL_PARSE_FAILED',
  '7B9B': 'warn 400 GRAPHQL_VALIDATION_FAILED',
};

/** Not met by design: a GET without a header that only scripts can send may come from another site (3.20). */
const refusedGets = {
  '5A70': 'notice 400 BAD_REQUEST',
  '6A70': 'notice 400 BAD_REQUEST',
  D6D5: 'notice 400 BAD_REQUEST',
};

/** Audits a subgraph with these headers beside the audits' own: how many audits there are, and which are not met. */
async function audit(headers: Record<string, string>) {
  const { subgraph, calls, log } = await start();
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
  const audits = { MUST: 13, SHOULD: 23, MAY: 25 };

  it('is as specified, except for documents that are refused and for GET without a header', async () => {
    expect(await audit({})).toEqual({ audits, unmet: { ...refusedDocuments, ...refusedGets } });
  });

  it('is as specified for GET too, with a header that passes CSRF prevention', async () => {
    expect(await audit({ 'apollo-require-preflight': 'true' })).toEqual({ audits, unmet: refusedDocuments });
  });

  it('answers variables that cannot be coerced with 200 to application/json, as 7B9B means to ask', async () => {
    const { query } = await start();
    const { status, body } = await query('query CoerceFailure($id: ID!) { dataset(id: $id) { id } }', {
      variables: { id: null },
      headers: { accept: 'application/json' },
    });
    expect(body.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT' });
    expect(status).toBe(200);
  });
});
