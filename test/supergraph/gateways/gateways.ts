import { apollo } from './apollo.ts';
import type { Gateway, Habits } from './gateway.ts';
import { grafbase } from './grafbase.ts';
import { hive } from './hive.ts';
import { hiveRust } from './hive-rust.ts';

/** Every gateway that the cases are run against, in the order of the table. */
export const gateways: readonly Gateway[] = [apollo, hive, hiveRust, grafbase];

const questions: Readonly<Record<keyof Habits, string>> = {
  clientLeaves: 'A client leaves: its REST calls',
  entityErrors: 'The error of an entity in a list comes',
  missingEntity: 'A missing entity, among others of its list',
  requiresMissing: 'Fields of a missing entity that another subgraph `@requires`',
  requiresFailing: 'The same, of an entity that fails',
  refusedVariable: 'A variable that `EpochMillis` refuses',
  refusedLiteral: 'A value in the document that `EpochMillis` refuses',
  nothingFetched: 'An answer for which nothing could be fetched has',
  serviceName: 'Adds `serviceName` to the extensions of an error',
};

/** The table of docs/gateways.md. */
export function habitsTable(): string {
  const rows = Object.entries(questions).map(([name, question]) => [
    question,
    ...gateways.map(({ habits }) => habits[name as keyof Habits]),
  ]);
  const lines = [['', ...gateways.map(({ name }) => name)], ['---', ...gateways.map(() => '---')], ...rows];
  return lines.map((cells) => `|${cells.map((cell) => (cell === '---' ? cell : ` ${cell} `)).join('|')}|\n`).join('');
}
