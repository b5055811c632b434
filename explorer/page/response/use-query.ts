import { useEffect, useState } from 'react';

/** A result that comes later. */
export interface Later<Result> {
  /** The newest result; undefined until the first one. */
  readonly result: Result | undefined;
  /** Why there is no result. */
  readonly error: string | undefined;
}

/**
 * Asks again whenever `key` changes. Until the new result comes, the previous one stays; a result that comes too late is ignored.
 *
 * @param key identifies the question: equal keys have equal results
 */
export function useQuery<Result>(key: string, ask: () => Promise<Result>): Later<Result> {
  const [later, setLater] = useState<Later<Result>>({ result: undefined, error: undefined });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the question
  useEffect(() => {
    let isCurrent = true;
    ask().then(
      (result) => isCurrent && setLater({ result, error: undefined }),
      (error: unknown) => isCurrent && setLater({ result: undefined, error: String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return later;
}
