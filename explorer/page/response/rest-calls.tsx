import './rest-calls.css';
import { sizeText } from '../../../src/core/size-text.ts';
import { timeText } from './time-text.ts';
import type { RestCall, RestCalls } from './worker/protocol.ts';

/** What the operation cost the REST service, and each call when it is opened. */
export function RestCallList({ restCalls: { count, bytes, milliseconds, calls } }: { restCalls: RestCalls }) {
  return (
    <details className="response-calls">
      <summary>
        {count} REST {count === 1 ? 'call' : 'calls'}, {sizeText(bytes)}, {timeText(milliseconds)}
      </summary>
      {calls.length > 0 && (
        <table aria-label="REST calls">
          <thead>
            <tr>
              <th scope="col">Call</th>
              <th scope="col">Filter</th>
              <th scope="col">Response</th>
              <th scope="col">Size</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            {calls.map((call, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: calls may be equal
              <CallRow key={index} call={call} />
            ))}
          </tbody>
        </table>
      )}
      <p>The page asks for this list: the JSON has it in “extensions”.</p>
    </details>
  );
}

function CallRow({ call }: { call: RestCall }) {
  const { operation, datasetId, filter, bytes, milliseconds } = call;
  return (
    <tr>
      <td>
        {operation} <code>{datasetId}</code>
      </td>
      <td>{filter}</td>
      <td>{responseText(call)}</td>
      <td>{bytes !== null && sizeText(bytes)}</td>
      <td>{milliseconds !== null && timeText(milliseconds)}</td>
    </tr>
  );
}

/** How a call without a call of its own was answered. */
const sources: Readonly<Record<string, string>> = {
  cache: 'from the cache',
  stale: 'from the cache, because the service fails',
  joined: 'by the call of another request',
};

/** `200`, `404 NOT_FOUND`, `timeout, retry`, `200 from the cache`. */
function responseText({ source, resends, status, label, failure, milliseconds }: RestCall): string {
  if (milliseconds === null) return 'not complete';
  const result = [status, status === 200 ? failure : (label ?? (status === null ? failure : null)), sources[source]];
  return `${result.filter((part) => part !== null && part !== undefined).join(' ')}${resends > 0 ? ', retry' : ''}`;
}
