import { extname } from 'node:path';

/** The formats of files of results. Each is also the extension of their names. */
const formats = ['csv', 'ndjson', 'parquet', 'arrow'] as const;
export type FileFormat = (typeof formats)[number];

/** The format of a file of results with this name, if its extension is one. */
export function fileFormatOf(path: string): FileFormat | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return formats.find((format) => format === extension);
}
