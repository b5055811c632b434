/** Why rows, or a selection of them, are left to the generic path. */
export type BailoutReason = 'wrongType' | 'lossyNumber' | 'manyTemplates' | 'longRow' | 'selection';

/**
 * Tells where the fast path does not handle something exactly. The generic path then answers, and with that decides what is
 * right. One object for each reason: no stack is needed, and making one is slow.
 */
export class Bailout extends Error {
  readonly reason: BailoutReason;

  constructor(reason: BailoutReason) {
    super(reason);
    this.name = 'Bailout';
    this.reason = reason;
  }

  /** A field of another type than specified: it becomes an error with a path. */
  static readonly wrongType = new Bailout('wrongType');
  /** A number that is infinite for JSON.parse, and so of a wrong type too. */
  static readonly lossyNumber = new Bailout('lossyNumber');
  /** More templates of rows in one answer than are kept. */
  static readonly manyTemplates = new Bailout('manyTemplates');
  /** A row that is too long to be read in one go. */
  static readonly longRow = new Bailout('longRow');
  /** A selection that needs more than this answer. */
  static readonly selection = new Bailout('selection');
}
