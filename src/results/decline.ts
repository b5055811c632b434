/** Why an answer, or a selection of it, is left to the plain way. */
export type DeclineReason =
  | 'malformed'
  | 'notUtf8'
  | 'tooDeep'
  | 'escapedName'
  | 'repeatedName'
  | 'wrongType'
  | 'leftOut'
  | 'exoticNumber'
  | 'manyShapes'
  | 'selection';

/**
 * Thrown by the fast way where it does not handle something exactly. The plain way then answers, and with that decides
 * what is right. One object for each reason: no stack is needed, and making one is slow.
 */
export class Decline extends Error {
  readonly reason: DeclineReason;

  constructor(reason: DeclineReason) {
    super(reason);
    this.name = 'Decline';
    this.reason = reason;
  }

  /** Not JSON. */
  static readonly malformed = new Decline('malformed');
  /** Not UTF-8. */
  static readonly notUtf8 = new Decline('notUtf8');
  /** Containers nested deeper than is followed. */
  static readonly tooDeep = new Decline('tooDeep');
  /** A member's name with an escape: it may be a known name in disguise. */
  static readonly escapedName = new Decline('escapedName');
  /** A known name twice in one object: the last one counts. */
  static readonly repeatedName = new Decline('repeatedName');
  /** A field of another type than specified: it becomes an error with a path. */
  static readonly wrongType = new Decline('wrongType');
  /** An entry that is left out with an error. */
  static readonly leftOut = new Decline('leftOut');
  /** A number that JSON.parse changes: infinite, or a negative zero. */
  static readonly exoticNumber = new Decline('exoticNumber');
  /** More shapes of rows in one answer than are kept. */
  static readonly manyShapes = new Decline('manyShapes');
  /** A selection that needs more than this answer. */
  static readonly selection = new Decline('selection');
}
