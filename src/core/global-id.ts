/** The id of an asset among those of all datasets, `Asset.id`: the JSON of both ids, as base64url (RFC 4648, section 5). */
export function toGlobalId(datasetId: string, assetId: string): string {
  return Buffer.from(JSON.stringify([datasetId, assetId])).toString('base64url');
}
