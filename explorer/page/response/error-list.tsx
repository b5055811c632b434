import { adviceOf, canRetry, failureText } from './advice.ts';
import { pathText } from './path-text.ts';
import type { ResponseError, ResponseFailure } from './worker/protocol.ts';

/** The most errors that are shown at a time. */
const MAX_ERRORS = 10;

/** The most fields that are listed of an error. */
const MAX_FIELDS = 3;

interface Retrying {
  /** Called when the user wants to ask again. Undefined if the page has another button for it. */
  readonly onRetry?: (() => void) | undefined;
}

/** The errors of a response: message, code, the fields that are missing, and what to do. Those that differ in the field or the request alone are one. */
export function ErrorList({ errors, onRetry }: { errors: readonly ResponseError[] } & Retrying) {
  if (errors.length === 0) return null;
  const groups = Map.groupBy(errors, ({ message, code }) => JSON.stringify([message, code]));
  return (
    <div className="response-errors" role="alert" aria-label="Errors">
      <ul>
        {Array.from(groups)
          .slice(0, MAX_ERRORS)
          .map(([key, alike]) => (
            <ErrorItem key={key} alike={alike} />
          ))}
        {groups.size > MAX_ERRORS && <li>and {groups.size - MAX_ERRORS} more, in JSON</li>}
      </ul>
      {onRetry !== undefined && errors.some(({ code }) => canRetry(code)) && <RetryButton onRetry={onRetry} />}
    </div>
  );
}

function ErrorItem({ alike }: { alike: readonly ResponseError[] }) {
  const { message = '', code = '' } = alike[0] ?? {};
  const fields = alike.map(({ path }) => pathText(path)).filter((text) => text !== '');
  const requestIds = [...new Set(alike.map(({ requestId }) => requestId))].filter((id) => id !== '');
  const advice = adviceOf(code);
  return (
    <li>
      <strong>{message}</strong> {code !== '' && <code>{code}</code>}
      {fields.length > 0 && (
        <p>
          Missing: <code>{fields.slice(0, MAX_FIELDS).join(', ')}</code>
          {fields.length > MAX_FIELDS && ` and ${fields.length - MAX_FIELDS} more`}
        </p>
      )}
      {advice !== undefined && <p>{advice}</p>}
      {requestIds.length > 0 && <p>Request id: {requestIds.join(', ')}</p>}
    </li>
  );
}

function RetryButton({ onRetry }: { onRetry: () => void }) {
  return (
    <button type="button" onClick={onRetry}>
      Retry
    </button>
  );
}

/** Why there is no response, and what to do. */
export function Failure({ failure, onRetry }: { failure: ResponseFailure } & Retrying) {
  const { title, detail, advice } = failureText(failure);
  return (
    <div className="response-errors" role="alert" aria-label="Errors">
      <ul>
        <li>
          <strong>{title}</strong>
          {detail !== '' && <p>{detail}</p>}
          <p>{advice}</p>
        </li>
      </ul>
      {onRetry !== undefined && failure.kind !== 'memory' && <RetryButton onRetry={onRetry} />}
    </div>
  );
}

/** The paths of the missing parts of one dataset. */
export function missingIn(errors: readonly ResponseError[], dataset: readonly (string | number)[]): string[] {
  return errors
    .filter(({ path }) => path.length > dataset.length && dataset.every((part, index) => path[index] === part))
    .map(({ path }) => pathText(path.slice(dataset.length)).replace(/^\./, ''));
}
