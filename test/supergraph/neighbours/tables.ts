import { gateways } from '../gateways/gateways.ts';
import { tableOf } from '../table.ts';
import { type ComposerName, compositions } from './compositions.ts';
import { neighbourCases } from './neighbours.ts';

/** What becomes of each query behind each gateway, and its most REST calls: a table of test/supergraph/tables.md. */
export function outcomesTable(): string {
  const rows = neighbourCases.map(({ title, outcomes, behind }) => [
    title,
    ...gateways.map(({ name }) => behind[name]),
    countOf(gateways.map(({ name }) => outcomes[behind[name]]?.calls ?? []).reduce(longer)),
  ]);
  return tableOf(['', ...gateways.map(({ name }) => name), 'REST calls at most'], rows);
}

/** What composes: a table of test/supergraph/tables.md. */
export function compositionsTable(): string {
  const composers: readonly ComposerName[] = ['Apollo', 'Guild', 'WunderGraph', 'Grafbase'];
  return tableOf(
    ['', ...composers],
    compositions.map(({ title, verdicts }) => [title, ...composers.map((name) => verdicts[name])]),
  );
}

/** Private. */
const longer = <List extends readonly unknown[]>(one: List, other: List) => (other.length > one.length ? other : one);

/** Private. */
function countOf(calls: readonly string[]): string {
  const metadata = calls.filter((call) => call.startsWith('GET ')).length;
  const results = calls.length - metadata;
  const counts = [...(metadata > 0 ? [`${metadata} metadata`] : []), ...(results > 0 ? [`${results} results`] : [])];
  return counts.join(', ') || 'none';
}
