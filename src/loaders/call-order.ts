import DataLoader from 'dataloader';

/** Starts calls of a dataset. Never throws. */
type Start = () => void;

/** Calls of a dataset that are to be started. */
interface Entry {
  readonly datasetId: string;
  readonly start: Start;
}

/**
 * The order in which an operation makes its calls: dataset by dataset, as the operation names them. What one turn of the event
 * loop requests starts at its end. If `UPSTREAM_MAX_CALLS` is too low, the first datasets get all their calls, instead
 * of every dataset its metadata and none its results.
 */
export class CallOrder {
  /** Made on first use: an operation of one field on metadata needs none. */
  #turn: DataLoader<Entry, undefined> | undefined;

  /** Starts calls of a dataset at the end of this turn. */
  add(datasetId: string, start: Start): void {
    this.#turn ??= new DataLoader((entries) => this.#start(entries), { cache: false });
    void this.#turn.load({ datasetId, start });
  }

  async #start(entries: readonly Entry[]): Promise<undefined[]> {
    for (const ofDataset of Map.groupBy(entries, ({ datasetId }) => datasetId).values()) {
      for (const { start } of ofDataset) start();
    }
    return entries.map(() => undefined);
  }
}
