import { isUnauthenticated, OperationError } from '../operation-error.ts';
import { ErrorList, Failure } from '../response/error-list.tsx';
import { reasonOf } from '../response/message-of.ts';
import type { ResponseError } from '../response/worker/protocol.ts';
import type { Recovery } from './recovery.ts';
import { SignInPanel } from './sign-in-panel.tsx';

/** The errors in the place of what is missing, with what mends them: the sign-in, in one place, where the token is not accepted. */
export function DatasetErrors({ errors, recovery }: { errors: readonly ResponseError[]; recovery: Recovery }) {
  if (isUnauthenticated(errors)) return recovery.isElsewhere ? null : <SignInPanel recovery={recovery} />;
  return <ErrorList errors={errors} onRetry={recovery.runAgain} />;
}

/** Why something could not be read: the errors of the response, or that there was none. */
export function ReadFailure({ error, recovery }: { error: unknown; recovery: Recovery }) {
  if (error instanceof OperationError) return <DatasetErrors errors={error.errors} recovery={recovery} />;
  return <Failure failure={{ kind: 'network', detail: reasonOf(error) }} onRetry={recovery.runAgain} />;
}
