/** Parts of a text, ascending: the offsets where each begins and ends, in turn. */
export type Parts = readonly number[];

/** What V8 counts in a function: the first range is the function, and each other one lies in an earlier one. */
export interface CountedFunction {
  /** Empty for the file itself, and for a function without a name. */
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
}

/**
 * The parts of a file that were executed, but for what runs when it is loaded: that runs once in a process, for whichever test is
 * first.
 *
 * @param functions the functions of the file. The file itself is one of them only where it was loaded
 */
export function executedParts(functions: readonly CountedFunction[]): Parts {
  const parts: number[] = [];
  let at = 0;
  let isExecuted = false;
  const goTo = (offset: number) => {
    if (isExecuted && offset > at) {
      if (parts.at(-1) === at) parts[parts.length - 1] = offset;
      else parts.push(at, offset);
    }
    at = offset;
  };
  const open: { endOffset: number; count: number }[] = [];
  const close = (until: number) => {
    for (let last = open.at(-1); last !== undefined && last.endOffset <= until; last = open.at(-1)) {
      goTo(last.endOffset);
      open.pop();
      isExecuted = (open.at(-1)?.count ?? 0) > 0;
    }
  };
  const isFile = ({ functionName, ranges }: CountedFunction) => functionName === '' && ranges[0]?.startOffset === 0;
  const ranges = functions.filter((counted) => !isFile(counted)).flatMap((counted) => counted.ranges);
  for (const range of ranges.toSorted(
    (one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset,
  )) {
    close(range.startOffset);
    goTo(range.startOffset);
    open.push(range);
    isExecuted = range.count > 0;
  }
  close(Number.POSITIVE_INFINITY);
  return parts;
}

/** Whether an offset is in one of the parts. */
export function includes(parts: Parts, offset: number): boolean {
  for (let index = 0; index < parts.length; index += 2) {
    if (offset >= (parts[index] as number) && offset < (parts[index + 1] as number)) return true;
  }
  return false;
}
