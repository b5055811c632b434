/**
 * The face of results/: other layers import only this file. A results response passes through these steps:
 *
 *     a body --readResponse--> ResultsResponse: held, with the places of its entries, or passing
 *     responses that serve a filter --> Results
 *     Results and a Selection of the engine --> Writing --writeChunks--> chunks of the GraphQL response
 */

export { type AssetAttributes, Results, type Series } from './found-results.ts';
export {
  type ErrorSink,
  OddRowCounter,
  type Output,
  ReaderMemory,
  type Reserve,
  WorkBudget,
  type Writing,
  type Written,
} from './output.ts';
export type { BoundPage, Entries, PageEntries, PageField } from './page.ts';
export {
  type Requirements,
  type ResultsResponse,
  readResponse,
  type StreamedResults,
  type StreamRequirements,
} from './response.ts';
export { type WrittenPart, writeChunks } from './written.ts';
