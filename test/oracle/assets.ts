import type { Entry } from './body.ts';

/** An entry whose version is absent, or of a wrong type, is lower than any that has one. */
const versionOf = ({ version }: Entry) => (typeof version === 'bigint' ? version : undefined);

/** The entries of an asset with its highest version, in the order received. Its attributes are those of the first one. */
export function entriesOfAsset(entries: readonly Entry[], assetId: string): readonly Entry[] {
  const all = entries.filter((entry) => entry.assetId === assetId);
  const versions = all.map(versionOf).filter((version) => version !== undefined);
  const highest = versions.reduce<bigint | undefined>(
    (most, version) => (most === undefined || version > most ? version : most),
    undefined,
  );
  return all.filter((entry) => versionOf(entry) === highest);
}
