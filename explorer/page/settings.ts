/** A dataset that the server knows. Only the demo's server knows some. */
export interface KnownDataset {
  readonly id: string;
  readonly name: string;
  /** False if it is only a file. */
  readonly hasAssets: boolean;
  /** The assets that a link to the dataset selects. Absent: all. */
  readonly linkedAssetIds?: readonly string[];
}

/** The texts of the operations that the page writes. */
export interface PageOperations {
  /** Reads metrics of assets. Its variables are `id`, `assetIds`, `metrics` and `timeRange`. */
  readonly columns: string;
  /** Reads at most so many rows of each asset. Its variables are those of `columns`, and `points`. */
  readonly reducedColumns: string;
  /** Reads quantiles of all assets by date. Its variables are `id`, `metrics`, `timeRange` and `quantiles`. */
  readonly quantilesByDate: string;
  /** Reads the same, and what `reducedColumns` reads of some assets. Its variables are those of both. */
  readonly byDateWithAssets: string;
  /** Reads what `columns` reads in two time ranges, `first` and `second`; with `points`, at most so many rows of each asset. */
  readonly compareRanges: string;
  /** Reads quantiles of all assets by date in two time ranges. Its variables are `id`, `metrics`, `first` and `second`. */
  readonly compareByDate: string;
  /** Reads what `compareByDate` reads of two datasets, `id` and `otherId`. Its other variables are those of `columns`. */
  readonly compareDatasets: string;
  /**
   * Reads the means of metrics by period or of the whole time, or their values by date, with the places of the assets. Its
   * variables are those of `columns`, and `every`, `hasPeriods`, `hasDates` and `hasMeans`.
   */
  readonly periodMap: string;
  /** Makes a link to a file of rows. Its variables are those of `columns`, and `format`. */
  readonly rowsFile: string;
  /** Reads the statistics of metrics. Its variables are `id`, `assetIds`, `metrics` and `timeRange`. */
  readonly statistics: string;
  /** Makes a link to a dataset's file. Its variable is `fileId`. */
  readonly download: string;
  /** Reads what is known of a dataset without its results. Its variable is `id`. */
  readonly metadata: string;
  /** Reads what a dataset holds: its assets and metrics. Its variables are `id` and `timeRange`. */
  readonly outline: string;
}

/** The server's settings for the page. */
export interface Settings {
  /** The path of the GraphQL endpoint. */
  readonly endpoint: string;
  /** The initial bearer token; may be empty. */
  readonly token: string;
  /** The path of the login. Absent if there is none. */
  readonly login?: string;
  /** The operations of the initial tabs. */
  readonly examples: readonly { readonly query: string; readonly variables: Readonly<Record<string, unknown>> }[];
  /** The operations that the page writes, in the names of the server's schema. */
  readonly operations: PageOperations;
  /** The datasets that the server knows. */
  readonly datasets: readonly KnownDataset[];
}

/**
 * Fetches the settings from the page's server.
 *
 * @throws Error when the response is not as expected
 */
export async function loadSettings(): Promise<Settings> {
  const response = await fetch('/graphiql/settings.json');
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`);
  return await response.json();
}
