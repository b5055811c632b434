import type { ResultsFilter } from './filter.ts';

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

/** Results that are too large to be kept: they are computed again for each response, while it is sent. */
export interface GeneratedResults {
  readonly processing_id: string;
  readonly source_id: string;
  /** The ids of all assets. */
  readonly assetIds: readonly string[];
  /** The names of the metrics. */
  readonly metricNames: readonly string[];
  /**
   * The AssetResults (§2.5) under a filter, each as JSON. Each is computed when it is pulled, in about a millisecond. A value
   * does not depend on the filter.
   */
  entries(filter: ResultsFilter): Iterable<string>;
}

/** One dataset of the service. It must not change while a simulator serves it, because responses are serialised once. */
export interface SimulatedDataset {
  /** DatasetMetadata (§2.1) in wire form; `id` is the identifier in the path. */
  metadata: Record<string, unknown> & { id: string };
  /** ProcessingResultTimeSeries (§2.4) in wire form. Without it and `generated` the dataset is static and has no assets. */
  results?: { processing_id?: string; source_id?: string; assets: SimulatedAsset[] };
  /** Takes the place of `results`. */
  generated?: GeneratedResults;
  /** Absent: the dataset has no file, and the download gets 404 NOT_FOUND. */
  file?: SimulatedFile;
  /** The tokens that may read the dataset; any other known token gets 403 ACCESS_DENIED. Absent: every known token. */
  readers?: string[];
}
