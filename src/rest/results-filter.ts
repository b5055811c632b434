/** The body of a results request (REST specification, section 2.2). Absent parts are omitted. */
export interface ResultsFilter {
  readonly assetIds?: readonly string[] | undefined;
  readonly timeRange?: TimeRange | undefined;
}

/** A DateRange (REST specification, section 2.3): bounds in epoch milliseconds. */
export interface TimeRange {
  readonly start?: bigint | undefined;
  readonly stop?: bigint | undefined;
}

/** The body as JSON. JSON.stringify cannot write int64 exactly. */
export function filterBody({ assetIds, timeRange }: ResultsFilter): string {
  const parts: string[] = [];
  if (assetIds !== undefined) parts.push(`"mo_ids":${JSON.stringify(assetIds)}`);
  if (timeRange !== undefined) {
    const bounds: string[] = [];
    if (timeRange.start !== undefined) bounds.push(`"start_date":${timeRange.start}`);
    if (timeRange.stop !== undefined) bounds.push(`"stop_date":${timeRange.stop}`);
    parts.push(`"time_range":{${bounds.join()}}`);
  }
  return `{${parts.join()}}`;
}
