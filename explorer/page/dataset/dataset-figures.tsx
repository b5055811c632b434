import type { Facts, Outline } from '../outline.ts';
import { lengthOf } from './view.ts';

/** What a dataset has, as figures. */
export function DatasetFigures({ facts, outline }: { facts: Facts; outline: Outline | undefined }) {
  const { days } = facts;
  const [from, to] = days;
  const assets = outline?.isComplete ? outline.assets.length : (facts.assetCount ?? 0);
  const metrics = outline?.metrics.length ?? 0;
  const length = lengthOf({ from, to });
  return (
    <dl className="dataset-facts">
      {assets > 0 && <Figure name="Assets" value={assets} />}
      {metrics > 0 && <Figure name="Metrics" value={metrics} />}
      {Number.isFinite(length) && <Figure name="Days" value={length} />}
      {(from !== '' || to !== '') && (
        <div>
          <dt>Time</dt>
          <dd className="dataset-days">{days.filter((day) => day !== '').join(' to ')}</dd>
        </div>
      )}
    </dl>
  );
}

function Figure({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value.toLocaleString('en')}</dd>
    </div>
  );
}
