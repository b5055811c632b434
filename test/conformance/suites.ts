import { createRequire } from 'node:module';

/**
 * Resolves the suites, which are installed in a separate package with its own graphql. The tests use the project's graphql,
 * because one copy of graphql cannot execute a schema of the other.
 */
export const suites = createRequire(new URL('suites/', import.meta.url));
