import { expect } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { errorAt } from './expected-errors.ts';
import { type Answer, NAME, type TestBed, TOKEN } from './harness.ts';

/** How many results have to be counted, before failures mean anything. */
export const MIN_CALLS = 20;

/** A retry would be one more failure. */
export const env = { UPSTREAM_RETRY: 'off' };

export const down = {
  ...errorAt(['dataset', 'name'], 'UPSTREAM_UNAVAILABLE', { operation: 'getDatasetMetadata', retryable: true }),
  message: 'The dataset service has been failing. Calls to it are paused for a few seconds.',
};
export const refused = { data: { dataset: { name: null } }, errors: [down] };

export const codeOf = ({ body }: Answer): string => body.errors?.[0].extensions.code ?? 'none';

/** Ten clients: of so many each one counts in full. */
export const tokens: readonly string[] = Array.from({ length: 10 }, (_, index) => `token-${index}`);
export const accounts = [TOKEN, ...tokens].map((token) => ({ email: token, password: 'secret', token }));

/** Asks so often, one after the other, with each token in turn. */
export async function ask({ query }: TestBed, times: number, as: readonly string[] = [TOKEN]): Promise<Answer[]> {
  const responses: Answer[] = [];
  for (let call = 0; call < times; call += 1)
    responses.push(await query(NAME, { token: as[call % as.length] as string }));
  return responses;
}

/** Has the service fail until calls to it are no longer made. */
export async function breakDown(bed: TestBed, fault: Fault = { status: 503 }): Promise<void> {
  bed.simulator.intercept(() => fault);
  await ask(bed, MIN_CALLS);
  expect((await bed.query(NAME)).body).toEqual(refused);
  bed.simulator.clear();
}

export const warnings = ({ log }: TestBed): string[] =>
  log.map((line) => JSON.parse(line)).flatMap(({ level, msg }) => (level === 40 ? [msg] : []));

export const isDown = 'The service is down. The circuit is open: only trial calls are made.';
export const isClosed = 'The circuit is closed: calls are made again.';
