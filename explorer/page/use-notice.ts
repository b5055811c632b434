import { useEffect, useState } from 'react';

/** How long a notice stays. */
const NOTICE_MS = 4000;

/** What was done, for some seconds; empty afterwards. */
export function useNotice(): [notice: string, say: (text: string) => void] {
  const [notice, say] = useState('');
  useEffect(() => {
    if (notice === '') return;
    const timer = setTimeout(() => say(''), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return [notice, say];
}
