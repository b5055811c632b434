import { expect } from 'vitest';
import type { Answer, TestBed } from './harness.ts';

/** The one error of an answer that refuses a whole request. */
export const refused = (message: string) => ({ errors: [{ message, extensions: { code: 'REQUEST_LIMIT_EXCEEDED' } }] });

/** Expects a document to be refused before it is validated, and without a REST call; also the second time. */
export async function expectRefused(bed: TestBed, document: string, message: string): Promise<void> {
  for (const _ of ['parsed', 'known']) {
    const { status, body } = await bed.query(document);
    expect(body).toEqual(refused(message));
    expect(status).toBe(400);
  }
  expect(bed.calls()).toEqual([]);
}

export async function expectExecuted(bed: TestBed, document: string): Promise<Answer> {
  const response = await bed.query(document);
  expect(response.body.errors).toBeUndefined();
  expect(response.status).toBe(200);
  return response;
}

/** The errors of a response, each with its message, path and code. */
export const errorsOf = ({ body }: Answer) =>
  body.errors?.map(
    ({ message, path, extensions }: { message: string; path: unknown[]; extensions: { code: string } }) => ({
      message,
      path: path.join('.'),
      code: extensions.code,
    }),
  );

/** The error of a field that exceeds a limit. */
export const exceeded = (path: string, message: string) => ({ message, path, code: 'REQUEST_LIMIT_EXCEEDED' });

/** The error of a field that exceeds MAX_OPERATION_WORK. */
export const exceedsWork = (path: string, limit = 268_435_456) =>
  exceeded(
    path,
    `The operation exceeds its work limit (MAX_OPERATION_WORK is ${limit}): select less, or get the results as a file (such as \`rowsFile\`).`,
  );
