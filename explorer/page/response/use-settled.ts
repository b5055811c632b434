import { useCallback, useEffect, useRef } from 'react';

/** The milliseconds without a change after which a value has settled: a slider and a zoom change often. */
const SETTLE_MS = 200;

/** A function that calls another one with its last value, once no other value has come for a moment. */
export function useSettled<Value>(call: (value: Value) => void): (value: Value) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const newest = useRef(call);
  newest.current = call;
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback((value) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => newest.current(value), SETTLE_MS);
  }, []);
}
