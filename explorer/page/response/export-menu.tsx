import { useState } from 'react';
import type { Operation } from '../operation.ts';
import type { Access } from '../post.ts';
import { useDropdown } from '../use-dropdown.ts';
import { type FileFormat, type Files, fileNames, startDownload } from './file-link.ts';
import { messageOf } from './message-of.ts';
import { curlOf, pythonOf } from './snippets.ts';

const formats = Object.keys(fileNames) as FileFormat[];

interface ExportMenuProps {
  readonly access: () => Access;
  /** The files of the shown dataset; undefined if it has none. */
  readonly files: Files | undefined;
  /** What is in the files. */
  readonly filesText: string;
  /** The operation that is copied as code. */
  readonly operation: Operation;
  /** What the operation is. */
  readonly operationText: string;
}

/** Files of the shown dataset, and an operation as code. */
export function ExportMenu({ access, files, filesText, operation, operationText }: ExportMenuProps) {
  const [said, setSaid] = useState('');
  const dropdown = useDropdown();
  const download = async ({ operationOf, path }: Files, format: FileFormat) => {
    setSaid(`Asking for the ${fileNames[format]} …`);
    const started = startDownload(access(), operationOf(format), path);
    setSaid(await started.then(() => `The download of the ${fileNames[format]} has started.`, messageOf));
  };
  const copy = async (language: string, codeOf: (url: string, operation: Operation) => string) => {
    const url = new URL(access().endpoint, location.href).href;
    const copied = navigator.clipboard.writeText(codeOf(url, operation));
    setSaid(await copied.then(() => `Copied as ${language}. Put the token into the variable TOKEN.`, messageOf));
  };
  return (
    <details {...dropdown} className="response-export">
      <summary>Export</summary>
      <div className="response-menu">
        {files !== undefined && (
          <>
            <p>{filesText}</p>
            {formats.map((format) => (
              <button key={format} type="button" onClick={() => download(files, format)}>
                {fileNames[format]}
              </button>
            ))}
          </>
        )}
        <p>{operationText}</p>
        <button type="button" onClick={() => copy('Python', pythonOf)}>
          Copy as Python
        </button>
        <button type="button" onClick={() => copy('curl', curlOf)}>
          Copy as curl
        </button>
        <p role="status">{said}</p>
      </div>
    </details>
  );
}
