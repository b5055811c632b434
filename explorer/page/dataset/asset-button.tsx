import type { Option } from '../outline.ts';

interface AssetButtonProps extends Option {
  /** Called with the asset whose line the user wants to see. */
  readonly onAsset: (assetId: string) => void;
}

/** The name of an asset. A click shows its line. */
export function AssetButton({ id, name, onAsset }: AssetButtonProps) {
  return (
    <button type="button" className="dataset-asset" title="Show its line" onClick={() => onAsset(id)}>
      {name}
    </button>
  );
}
