/** The id of an asset among those of all datasets, `Asset.id`: the JSON of both ids, as base64url (RFC 4648, section 5). */
export function toGlobalId(datasetId: string, assetId: string): string {
  return Buffer.from(JSON.stringify([datasetId, assetId])).toString('base64url');
}

/** How each of them begins: the first byte of `["`, and a part of the second one. */
const BEGINNING = 'Wy';

/** Whether a text is such an id. */
export function isGlobalId(text: string): boolean {
  if (!text.startsWith(BEGINNING)) return false;
  try {
    const [datasetId, assetId] = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof assetId === 'string' && toGlobalId(datasetId, assetId) === text;
  } catch {
    return false;
  }
}
