import { createRequire } from 'node:module';

/**
 * Where the suites of others are installed: a package beside these tests, which has a graphql of its own. The tests
 * themselves use that of the project, because a schema of one cannot be executed by the other.
 */
export const suites = createRequire(new URL('suites/', import.meta.url));
