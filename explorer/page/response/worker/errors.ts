import type { ResponseError } from './protocol.ts';
import { fieldsOf } from './shapes.ts';

/** The errors of a GraphQL response, parsed from JSON. */
export function errorsOf(response: unknown): ResponseError[] {
  const errors = fieldsOf(response)?.errors;
  return (Array.isArray(errors) ? errors : []).map((error) => {
    const fields = fieldsOf(error);
    const extensions = fieldsOf(fields?.extensions);
    const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
    return {
      message: textOf(fields?.message),
      code: textOf(extensions?.code),
      path: Array.isArray(fields?.path) ? fields.path : [],
      requestId: textOf(fieldsOf(extensions?.rest)?.requestId),
    };
  });
}
