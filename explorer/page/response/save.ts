/** Makes the browser save a file. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // By then the browser reads the file.
  setTimeout(() => URL.revokeObjectURL(url), MILLISECONDS_TO_BEGIN);
}

const MILLISECONDS_TO_BEGIN = 10_000;

/** A file name that is valid on every file system, from any title. */
export function fileName(title: string, extension: string): string {
  const words = title.normalize('NFKD').match(/[A-Za-z0-9]+/g) ?? [];
  return `${words.join('-').slice(0, 80).toLowerCase() || 'responseId'}.${extension}`;
}
