import type { Facts } from '../outline.ts';
import type { Recovery } from './recovery.ts';
import { SessionMenu } from './session-menu.tsx';

/** The name of a dataset, its days, as far as they are known, and the token. */
export function DatasetHeader(props: { name: string; days: readonly string[]; recovery: Recovery }) {
  const { name, days, recovery } = props;
  return (
    <header className="dataset-header">
      <a href="/">dataset-subgraph</a>
      <h1>{name}</h1>
      <p className="dataset-days">{days.filter((day) => day !== '').join(' to ')}</p>
      <SessionMenu recovery={recovery} />
    </header>
  );
}

/** What a dataset is, and whose. */
export function AboutDataset({ facts: { description, attribution } }: { facts: Facts }) {
  return (
    <section className="dataset-about" aria-label="About this dataset">
      {description !== '' && <p>{description}</p>}
      {attribution !== '' && <p>Source: {attribution}</p>}
    </section>
  );
}
