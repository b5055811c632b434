import type { Facts, Outline } from '../outline.ts';
import { DatasetFigures } from './dataset-figures.tsx';
import type { Recovery } from './recovery.ts';
import { SessionMenu } from './session-menu.tsx';

interface DatasetHeaderProps {
  readonly datasetId: string;
  /** Undefined until they are read. */
  readonly facts: Facts | undefined;
  readonly outline?: Outline;
  readonly recovery: Recovery;
}

/** What a dataset is, as far as that is known, and the token. */
export function DatasetHeader({ datasetId, facts, outline, recovery }: DatasetHeaderProps) {
  return (
    <header className="dataset-header">
      <a href="/">dataset-subgraph</a>
      <SessionMenu recovery={recovery} />
      <div className="dataset-title">
        <h1>{facts?.name ?? datasetId}</h1>
        {facts !== undefined && <About facts={facts} />}
      </div>
      {facts !== undefined && <DatasetFigures facts={facts} outline={outline} />}
    </header>
  );
}

/** What a dataset is, and whose. */
function About({ facts: { description, attribution } }: { facts: Facts }) {
  if (description === '' && attribution === '') return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls
    <section className="dataset-about" tabIndex={0} aria-label="About this dataset">
      {description !== '' && <p>{description}</p>}
      {attribution !== '' && <p>Source: {attribution}</p>}
    </section>
  );
}
