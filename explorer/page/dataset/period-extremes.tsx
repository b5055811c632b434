import { queryResponse } from '../response/response-client.ts';
import { useQuery } from '../response/use-query.ts';
import { valueText } from '../response/value-text.ts';
import type { DatasetSummary, Extreme } from '../response/worker/protocol.ts';
import type { Units } from '../units.ts';
import { AssetButton } from './asset-button.tsx';
import { type PeriodUnit, periodText } from './period-unit.ts';

interface PeriodExtremesProps {
  readonly responseId: number;
  readonly dataset: DatasetSummary;
  readonly units: Units;
  /** How long each period is. */
  readonly every: PeriodUnit;
  /** Called with the asset whose line the user wants to see. */
  readonly onAsset: (assetId: string) => void;
}

/** The highest and the lowest value of each metric as sentences, with its period and its asset. */
export function PeriodExtremes({ responseId, dataset, units, every, onAsset }: PeriodExtremesProps) {
  const { result, error } = useQuery(String(responseId), () => queryResponse(responseId, 'extremes', 0));
  if (result === undefined) return error && <p role="alert">{error}</p>;
  const what = every === 'DATE' ? 'value' : 'mean';
  return (
    <ul className="dataset-extremes" aria-label="Highest and lowest values">
      {result.map(({ metric, highest, lowest }) => {
        const name = dataset.metrics[metric] ?? '';
        const value = { dataset, every, onAsset, unit: units.get(name) };
        return (
          <li key={name}>
            <b>{name}</b> Highest {what}: <Value {...value} of={highest} /> Lowest {what}:{' '}
            <Value {...value} of={lowest} />
          </li>
        );
      })}
    </ul>
  );
}

interface ValueProps extends Pick<PeriodExtremesProps, 'dataset' | 'every' | 'onAsset'> {
  readonly unit: string | undefined;
  readonly of: Extreme;
}

/** The period of a value, the value, and its asset. */
function Value({ dataset, every, unit, of: { value, x, asset }, onAsset }: ValueProps) {
  const { id = '', label = '' } = dataset.assets[asset] ?? {};
  return (
    <>
      {periodText(every, x)}, {valueText(value)}
      {unit !== undefined && ` ${unit}`}, <AssetButton id={id} name={label} onAsset={onAsset} />.
    </>
  );
}
