const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A number of bytes for people, in powers of ten. */
export function sizeText(bytes: number): string {
  let power = 0;
  let number = String(bytes);
  // The rounded number decides: 999 960 bytes are 1.0 MB.
  while (Number(number) >= 1000 && power < units.length - 1) number = (bytes / 1000 ** ++power).toFixed(1);
  return `${number} ${units[power]}`;
}
