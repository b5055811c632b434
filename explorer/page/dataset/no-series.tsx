import { useState } from 'react';
import type { Operation } from '../operation.ts';
import type { Outline } from '../outline.ts';
import type { Access } from '../post.ts';
import { startDownload } from '../response/file-link.ts';
import { messageOf } from '../response/message-of.ts';
import { DatasetErrors } from './dataset-errors.tsx';
import type { Recovery } from './recovery.ts';

interface NoSeriesProps {
  readonly access: Access;
  readonly recovery: Recovery;
  readonly datasetId: string;
  readonly outline: Outline;
  /** The operation that makes a link to the dataset's file. */
  readonly download: string;
}

/** What is known of a dataset without series: why they could not be read, or that it may be a file, with a button to save it. */
export function NoSeries({ access, recovery, datasetId, outline, download }: NoSeriesProps) {
  const { errors } = outline;
  // The service has no results of a static dataset.
  const hasNoResults = errors.every(({ code }) => code === 'NOT_FOUND');
  if (!hasNoResults) return <DatasetErrors errors={errors} recovery={recovery} />;
  return (
    <div className="dataset-empty">
      <p>
        {errors.length > 0 ? 'The service has no results of this dataset.' : 'This dataset has no values to draw.'} A
        static dataset is a file.
      </p>
      <FileButton access={access} operation={{ query: download, variables: { fileId: datasetId } }} />
    </div>
  );
}

/** A button that saves the file of a dataset. */
function FileButton({ access, operation }: { access: Access; operation: Operation }) {
  const [said, setSaid] = useState('');
  const save = async () => {
    setSaid('Asking for the file …');
    const started = startDownload(access, operation, ['dataset', 'download', 'ticketUrl']);
    setSaid(await started.then(() => 'The download has started.', messageOf));
  };
  return (
    <>
      <button type="button" onClick={save}>
        Download the file
      </button>
      <p role="status">{said}</p>
    </>
  );
}
