import { tableOf } from '../table.ts';
import { apollo } from './apollo.ts';
import type { Gateway, Habits } from './gateway.ts';
import { grafbase } from './grafbase.ts';
import { hive } from './hive.ts';
import { hiveRust } from './hive-rust.ts';

/** The tested gateways, in the order of the table. */
export const gateways: readonly Gateway[] = [apollo, hive, hiveRust, grafbase];

const questions: Readonly<Record<keyof Habits, string>> = {
  clientDisconnects: 'REST calls after the client disconnects',
  entityErrors: 'The error of an entity in a list',
  missingEntity: 'A missing entity among others in a list',
  requiresMissing: 'Fields of a missing entity that another subgraph `@requires`',
  requiresFailing: 'The same for an entity that fails',
  invalidVariable: 'An invalid variable of type `TimeBound`',
  invalidLiteral: 'An invalid literal of type `TimeBound`',
  refused: '503 `OVERLOADED`, before GraphQL',
  nothingFetched: 'A response for which nothing could be fetched',
  serviceName: 'Adds `serviceName` to the extensions of an error',
  listDefault: 'The default of a variable that is a list',
};

/** What gateways do: a table of test/supergraph/tables.md. */
export function habitsTable(): string {
  const rows = Object.entries(questions).map(([name, question]) => [
    question,
    ...gateways.map(({ habits }) => habits[name as keyof Habits]),
  ]);
  return tableOf(['', ...gateways.map(({ name }) => name)], rows);
}
