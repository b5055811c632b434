import { pathText } from '../path-text.ts';
import type { FoundDataset } from './find.ts';
import type { Download } from './protocol.ts';

/** The download links with names that differ: the dataset's name and, where several links would have it, the place of the link. */
export function nameDownloads(found: readonly FoundDataset[]): Download[] {
  const links = found.flatMap(({ title, downloads }) => downloads.map((link) => ({ ...link, title })));
  const byTitle = Map.groupBy(links, ({ title }) => title);
  return links.map(({ title, url, path }) => ({
    name: byTitle.get(title)?.length === 1 ? title : `${title} (${pathText(path)})`,
    url,
  }));
}
