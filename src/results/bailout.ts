/** Why the generic path handles rows, or a selection on them. */
export const bailoutReasons = ['wrongType', 'lossyNumber', 'manyTemplates', 'longRow', 'selection'] as const;

/** One of these reasons. */
export type BailoutReason = (typeof bailoutReasons)[number];

/**
 * Says that the fast path cannot handle something exactly. The generic path then writes it. There is one object for each
 * reason: nobody reads its stack, and capturing one is slow.
 */
export class Bailout extends Error {
  readonly reason: BailoutReason;

  constructor(reason: BailoutReason) {
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
  /** The selection needs more than this response. */
  static readonly selection = new Bailout('selection');
}
