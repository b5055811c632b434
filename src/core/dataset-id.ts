const MAX_LENGTH = 200;

/** A control character (C0, DEL or C1). */
const control = /\p{Cc}/u;

/**
 * Whether a text is a safe path parameter `datasetId` (REST specification, section 4): 1 to 200 characters, well-formed
 * UTF-16, no control characters, and neither `.` nor `..`. URL parsers remove those two, even when they are
 * percent-encoded (RFC 3986, section 5.2.4), so the path would name another resource.
 */
export function isDatasetId(text: string): boolean {
  return (
    text.length > 0 &&
    text.length <= MAX_LENGTH &&
    text.isWellFormed() &&
    !control.test(text) &&
    text !== '.' &&
    text !== '..'
  );
}

/**
 * A dataset id as one path segment, percent-encoded exactly once.
 *
 * @throws TypeError for an invalid dataset id; check it first with `isDatasetId`
 */
export function pathSegment(datasetId: string): string {
  if (!isDatasetId(datasetId)) throw new TypeError('A dataset id must be checked before it goes into a path.');
  return encodeURIComponent(datasetId);
}
