/** Why rows, or a selection of them, are left to the plain way. */
export type DeclineReason = 'wrongType' | 'exoticNumber' | 'manyShapes' | 'longRow' | 'selection';

/**
 * Tells where the fast way does not handle something exactly. The plain way then answers, and with that decides what is
 * right. One object for each reason: no stack is needed, and making one is slow.
 */
export class Decline extends Error {
  readonly reason: DeclineReason;

  constructor(reason: DeclineReason) {
    super(reason);
    this.name = 'Decline';
    this.reason = reason;
  }

  /** A field of another type than specified: it becomes an error with a path. */
  static readonly wrongType = new Decline('wrongType');
  /** A number that is infinite for JSON.parse, and so of a wrong type too. */
  static readonly exoticNumber = new Decline('exoticNumber');
  /** More shapes of rows in one answer than are kept. */
  static readonly manyShapes = new Decline('manyShapes');
  /** A row that is too long to be read in one go. */
  static readonly longRow = new Decline('longRow');
  /** A selection that needs more than this answer. */
  static readonly selection = new Decline('selection');
}
