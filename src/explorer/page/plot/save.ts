/** Lets the browser save a file that the page has made. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), MILLISECONDS_TO_BEGIN);
}

const MILLISECONDS_TO_BEGIN = 10_000;

/** A file name that every file system takes, of a title that may be anything. */
export function fileName(title: string, extension: string): string {
  const words = title.normalize('NFKD').match(/[A-Za-z0-9]+/g) ?? [];
  return `${words.join('-').slice(0, 80).toLowerCase() || 'plot'}.${extension}`;
}
