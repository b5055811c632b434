// Compares schema.graphql with the SDL that clients may rely on, and exits with 1 when clients or routers would break.
import { readFileSync } from 'node:fs';
import { breakingChanges } from './breaking-changes.ts';

const [released = '', current = ''] = ['test/schema/released.graphql', 'schema.graphql'].map((path) =>
  readFileSync(path, 'utf8'),
);
const changes = await breakingChanges(released, current);
if (changes.length > 0) {
  console.error('schema.graphql breaks the released schema. Deprecate in one release, and remove in a later one:');
  for (const { message } of changes) console.error(`- ${message}`);
  process.exitCode = 1;
} else {
  console.info('schema.graphql breaks nothing of the released schema.');
}
