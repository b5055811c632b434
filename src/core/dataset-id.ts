const MAX_LENGTH = 200;

/** A control character (C0, DEL or C1). */
const control = /\p{Cc}/u;

/**
 * Whether a text can be the path parameter `datasetId` of the REST specification, section 4, without changing which
 * resource the path names: 1 to 200 characters, well-formed UTF-16, no control characters, and neither `.` nor `..`,
 * which URL parsers take away even where they are percent-encoded (RFC 3986, section 5.2.4).
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
 * @throws TypeError for a text that is no dataset id: callers check it first, with `isDatasetId`
 */
export function pathSegment(datasetId: string): string {
  if (!isDatasetId(datasetId)) throw new TypeError('A dataset id must be checked before it goes into a path.');
  return encodeURIComponent(datasetId);
}
