import type { PooledBuffer } from '../../core/buffer-pool.ts';
import { wrongType } from '../../rest/contract/wire.ts';
import { PAUSE, type Steps } from '../../scanner/steps.ts';
import { type CollectedNames, DistinctNames } from '../aggregates/distinct-names.ts';
import { Bailout } from '../bailout.ts';
import { newNames } from '../writing/row-batches.ts';
import type { AssetTable } from './asset-table.ts';
import { namesIn, type Rows } from './row-index.ts';

/** Collects the names of the metrics of all assets of a body that is skimmed, before their bytes are dropped. */
export class NameCollector {
  /** Those so far. */
  names: CollectedNames;
  readonly #body: PooledBuffer;
  /** Whether it has the assets that were there before it. */
  #hasBegun = false;

  constructor(body: PooledBuffer) {
    this.#body = body;
  }

  /** Begins anew: there are no assets. */
  restart(): void {
    this.names = new DistinctNames();
    this.#hasBegun = true;
  }

  /** Adds the assets that were read before it began, once. */
  *begin(assets: AssetTable): Steps<void> {
    if (this.#hasBegun) return;
    this.restart();
    for (let index = 0; index < assets.length; index += 1) {
      const entry = assets.at(index);
      if (entry?.slice) yield* this.add(entry.slice.start, entry.slice.rows);
      else if (entry?.rowsError !== undefined) this.addWrong();
    }
  }

  /** Adds an asset that has something else in place of its rows. */
  addWrong(): void {
    this.names = wrongType;
  }

  /** Adds the rows of an asset that begin here. Rows that are not indexed are decoded. */
  *add(start: number, rows: Pick<Rows, 'templates'> | Bailout): Steps<void> {
    const { names } = this;
    if (!(names instanceof DistinctNames)) return;
    if (rows instanceof Bailout) {
      names.begin([]);
      for (const name of newNames({ body: this.#body, start }, names.known)) {
        if (name === undefined) yield PAUSE;
        else names.begin([name]);
      }
    } else names.begin(namesIn(rows));
    const bytes = names.missingBytes();
    if (bytes > 0) yield bytes;
  }
}
