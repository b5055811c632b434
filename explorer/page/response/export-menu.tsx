import { useMemo, useState } from 'react';
import type { Operation } from '../operation.ts';
import { type Access, post } from '../post.ts';
import { useDropdown } from '../use-dropdown.ts';
import { type FileFormat, fileFormats, fileOperation, fileUrlIn } from './file-operation.ts';
import { curlOf, pythonOf } from './snippets.ts';
import { errorsOf } from './worker/errors.ts';

/** The names of the formats on the buttons. */
const formatNames: Readonly<Record<FileFormat, string>> = { CSV: 'CSV', PARQUET: 'Parquet', ARROW: 'Arrow' };

/** Files of the shown dataset, and the operation as code. */
export function ExportMenu(props: {
  operation: Operation;
  access: () => Access;
  /** Where the shown dataset is in the response; undefined if none is shown. */
  path: readonly (string | number)[] | undefined;
}) {
  const { operation, access, path } = props;
  const [said, setSaid] = useState('');
  const dropdown = useDropdown();
  const hasFiles = useMemo(
    () => path !== undefined && fileOperation(operation, path, 'CSV') !== undefined,
    [operation, path],
  );
  const download = async (format: FileFormat) => {
    setSaid(`Asking for the ${formatNames[format]} file …`);
    setSaid(await startDownload(operation, access(), path ?? [], format).catch(messageOf));
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
        {hasFiles && (
          <>
            <p>All metrics of the shown assets and days:</p>
            {fileFormats.map((format) => (
              <button key={format} type="button" onClick={() => download(format)}>
                {formatNames[format]} file
              </button>
            ))}
          </>
        )}
        <p>The query, without the token:</p>
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

/** Asks for the link of a file, and opens it. Returns what to say. */
async function startDownload(
  operation: Operation,
  access: Access,
  path: readonly (string | number)[],
  format: FileFormat,
): Promise<string> {
  const response = await post(access, JSON.stringify(fileOperation(operation, path, format)));
  const body: { data?: unknown } = await response.json();
  const url = fileUrlIn(body.data, path);
  if (url === undefined) return errorsOf(body)[0]?.message ?? 'The server made no link.';
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
  return `The download of the ${formatNames[format]} file has started.`;
}

function messageOf(error: unknown): string {
  return `This did not work: ${error instanceof Error ? error.message : String(error)}`;
}
