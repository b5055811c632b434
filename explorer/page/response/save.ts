import { headingOf } from './heading.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/**
 * Makes the browser save a file. Its name ends with a digest of its content: files of different content have different names.
 *
 * @param title what is in the file
 */
export async function saveFile(title: string, extension: string, content: Blob): Promise<void> {
  const name = `${wordsOf(title)}-${await digestOf(content)}.${extension}`;
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // By then the browser reads the file.
  setTimeout(() => URL.revokeObjectURL(url), MILLISECONDS_TO_BEGIN);
}

const MILLISECONDS_TO_BEGIN = 10_000;

/** The most metrics that are named in a title. */
const MAX_METRICS = 3;

/** What is in a file of a dataset: the kind of the content, the metrics, and the first and the last day. */
export function fileTitle(dataset: DatasetSummary, kind: string): string {
  const { metrics, isTime, dateCount, extent, overlay } = dataset;
  const named = metrics.length > MAX_METRICS ? [`${metrics.length} metrics`] : metrics;
  // Several years share an axis without a year.
  const hasDays = isTime && dateCount > 0 && overlay?.kind !== 'years';
  const days = hasDays ? extent.map((x) => new Date(x).toISOString().slice(0, 10)) : [];
  return [headingOf(dataset), kind, ...named, ...days].join(' ');
}

/** The words of a title, as a part of a file name that is valid on every file system. */
function wordsOf(title: string): string {
  const words = title.normalize('NFKD').match(/[A-Za-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 120).toLowerCase() || 'dataset';
}

/** FNV-1a with 32 bits. Browsers compute others only over HTTPS and on this host. */
async function digestOf(content: Blob): Promise<string> {
  let digest = 0x811c9dc5;
  // In chunks, so that a large file does not block the page.
  const reader = content.stream().getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    for (const byte of read.value) digest = Math.imul(digest ^ byte, 0x01000193);
  return (digest >>> 0).toString(16).padStart(8, '0');
}
