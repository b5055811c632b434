import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useRef } from 'react';
import { fragmentOf } from './fragment.ts';
import type { Settings } from './settings.ts';
import { FRAGMENT_KEY, linkedText, markRun, TABS_KEY } from './storage.ts';
import type { TabText } from './tab-text.ts';
import { useTabs } from './use-tabs.ts';

/** The pause between two changes of the address. Browsers allow about 200 changes in 30 s. */
const ADDRESS_PAUSE_MS = 250;

/**
 * Keeps the query and the variables of the open tab in the fragment of the page's URL, and opens those of a link. It runs
 * an operation at the start, if there is one to run.
 */
export function Address({ settings, runsFirst }: { settings: Settings; runsFirst: boolean }) {
  const { run } = useGraphiQLActions();
  const tabs = useTabs();
  const latest = useRef(tabs);
  latest.current = tabs;
  const { text, isReady } = tabs;

  useEffect(() => {
    const timer = setTimeout(() => showText(text), ADDRESS_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);

  useEffect(() => {
    // The event comes later than the change: by then the address may be that of the open tab again.
    const onHashChange = ({ newURL }: HashChangeEvent) => {
      const link = linkedText(new URL(newURL).hash, settings);
      if (link !== undefined) latest.current.open(link);
    };
    // GraphiQL stores the tabs after a pause.
    const keep = () => sessionStorage.setItem(TABS_KEY, JSON.stringify(latest.current.current()));
    window.addEventListener('hashchange', onHashChange);
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('hashchange', onHashChange);
      window.removeEventListener('pagehide', keep);
    };
  }, [settings]);

  const { isFetching } = useGraphiQL(pick('isFetching'));
  useEffect(() => {
    if (isFetching) markRun(latest.current.text);
  }, [isFetching]);

  const isToRun = useRef(runsFirst);
  useEffect(() => {
    if (!isReady || !isToRun.current) return;
    isToRun.current = false;
    run();
  }, [isReady, run]);
  return null;
}

/** The address of the page with this text in its fragment. */
export function addressOf(text: TabText): string {
  return `${location.pathname}${location.search}${fragmentOf(text)}`;
}

function showText(text: TabText): void {
  history.replaceState(history.state, '', addressOf(text));
  sessionStorage.setItem(FRAGMENT_KEY, location.hash);
}
