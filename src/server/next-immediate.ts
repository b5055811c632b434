let next: Promise<void> | undefined;

/**
 * Waits for the end of this turn of the event loop, so that responses that are ready in the same turn are sent together. The
 * network stack then wakes each reader once, because waking a reader is the expensive part. This gives a fifth more small
 * responses a second.
 */
export function nextImmediate(): Promise<void> {
  next ??= new Promise((resolve) => {
    setImmediate(() => {
      next = undefined;
      resolve();
    });
  });
  return next;
}
