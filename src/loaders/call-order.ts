import DataLoader from 'dataloader';

/** Starts calls of a dataset. Never throws. */
type Start = () => void;

/**
 * The order in which an operation makes its calls: dataset by dataset, as the operation names them. What one turn of the event
 * loop requests starts at its end. If `UPSTREAM_MAX_CALLS` is too low, the first datasets get all their calls, instead
 * of every dataset its metadata and none its results.
 */
export class CallOrder {
  readonly #turn = new DataLoader<{ readonly datasetId: string; readonly start: Start }, void>(
    async (requests) => {
      for (const ofDataset of Map.groupBy(requests, ({ datasetId }) => datasetId).values()) {
        for (const { start } of ofDataset) start();
      }
      return requests.map(() => undefined);
    },
    { cache: false },
  );

  /** Starts calls of a dataset at the end of this turn. */
  add(datasetId: string, start: Start): void {
    void this.#turn.load({ datasetId, start });
  }
}
