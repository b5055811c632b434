import { adviceOf, failureText } from './advice.ts';
import { pathText } from './path-text.ts';
import type { ResponseError, ResponseFailure } from './worker/protocol.ts';

/** The most errors that are shown at a time. */
const MAX_ERRORS = 10;

/** The errors of a response: message, code, the field that is missing, and what to do. */
export function ErrorList({ errors }: { errors: readonly ResponseError[] }) {
  if (errors.length === 0) return null;
  return (
    <div className="response-errors" role="alert" aria-label="Errors">
      <ul>
        {errors.slice(0, MAX_ERRORS).map(({ message, code, path, requestId }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: errors may be equal
          <li key={index}>
            <strong>{message}</strong> {code !== '' && <code>{code}</code>}
            {path.length > 0 && (
              <p>
                Missing: <code>{pathText(path)}</code>
              </p>
            )}
            {adviceOf(code) !== undefined && <p>{adviceOf(code)}</p>}
            {requestId !== '' && <p>Request id: {requestId}</p>}
          </li>
        ))}
        {errors.length > MAX_ERRORS && <li>and {errors.length - MAX_ERRORS} more, in JSON</li>}
      </ul>
    </div>
  );
}

/** Why there is no response, and what to do. */
export function Failure({ failure }: { failure: ResponseFailure }) {
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
    </div>
  );
}

/** The paths of the missing parts of one dataset. */
export function missingIn(errors: readonly ResponseError[], dataset: readonly (string | number)[]): string[] {
  return errors
    .filter(({ path }) => path.length > dataset.length && dataset.every((part, index) => path[index] === part))
    .map(({ path }) => pathText(path.slice(dataset.length)).replace(/^\./, ''));
}
