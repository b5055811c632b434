// Compares schema.graphql with the SDL that clients may rely on, and exits with 1 when clients, routers or other subgraphs would break.
import { readFileSync } from 'node:fs';
import { forbiddenChanges } from './evolution.ts';

const [released = '', current = ''] = ['test/schema/released.graphql', 'schema.graphql'].map((path) =>
  readFileSync(path, 'utf8'),
);
const changes = forbiddenChanges(released, current);
if (changes.length > 0) {
  console.error(
    'schema.graphql breaks the released schema, or the rules of docs/compatibility.md for what it may gain:',
  );
  for (const change of changes) console.error(`- ${change}`);
  process.exitCode = 1;
} else {
  console.info('schema.graphql breaks nothing of the released schema.');
}
