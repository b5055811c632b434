import type { OddRowReason } from './odd-rows.ts';

/**
 * Says why the rows of an asset have to be decoded. There is one object for each reason: nobody reads its stack, and capturing one
 * is slow.
 */
export class Bailout extends Error {
  readonly reason: OddRowReason;

  constructor(reason: OddRowReason) {
    super(reason);
    this.name = 'Bailout';
    this.reason = reason;
  }

  /** A field has another type than the specification says. It becomes an error with a path. */
  static readonly wrongType = new Bailout('wrongType');
  /** JSON.parse reads a number as infinite. It becomes an error with a path too. */
  static readonly lossyNumber = new Bailout('lossyNumber');
  /** The response has more row templates than are kept. */
  static readonly manyTemplates = new Bailout('manyTemplates');
  /** A row is too long to be read in one time slice. */
  static readonly longRow = new Bailout('longRow');
  /** Other assets have rows between the entries of an asset. */
  static readonly severalEntries = new Bailout('severalEntries');
}
