/** An account that can log in (§5), and the access token that the login returns. */
export interface SimulatedAccount {
  email: string;
  password: string;
  token: string;
}

/** The file that the download operation serves (§4.2). */
export interface SimulatedFile {
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

/**
 * A Result in wire form (§2.6). Only the fields that the simulator reads are typed. §2.8 leaves open which fields
 * may be null or absent, so a test may send anything.
 */
export type SimulatedResult = Record<string, unknown> & { value_date?: string | null };

/** An AssetResult in wire form (§2.5). Several entries may share an asset_id (versions of one asset). */
export type SimulatedAsset = Record<string, unknown> & {
  asset_id?: string | null;
  results?: readonly SimulatedResult[] | null;
};

/** One dataset of the service. It must not change while a simulator serves it, because responses are serialised once. */
export interface SimulatedDataset {
  /** DatasetMetadata (§2.1) in wire form; `id` is the identifier in the path. */
  metadata: Record<string, unknown> & { id: string };
  /** ProcessingResultTimeSeries (§2.4) in wire form; absent: the dataset is static and has no assets. */
  results?: { processing_id?: string; source_id?: string; assets: SimulatedAsset[] };
  /** Absent: the dataset has no file, and the download gets 404 NOT_FOUND. */
  file?: SimulatedFile;
  /** The tokens that may read the dataset; any other known token gets 403 ACCESS_DENIED. Absent: every known token. */
  readers?: string[];
}
