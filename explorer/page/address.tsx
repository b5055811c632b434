import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { fragmentOf } from './fragment.ts';
import type { PaneView } from './response/pane-view.ts';
import { responseStore } from './response/response-store.ts';
import type { Settings } from './settings.ts';
import { FRAGMENT_KEY, type Link, linkOf, markRun, TABS_KEY } from './storage.ts';
import type { TabText } from './tab-text.ts';
import { useTabs } from './use-tabs.ts';

/** The least time between two changes of the address. Browsers allow about 200 changes in 30 s. */
const ADDRESS_PAUSE_MS = 250;

interface AddressProps {
  readonly settings: Settings;
  /** What is open at the start. */
  readonly opened: Link;
  readonly runsFirst: boolean;
}

/**
 * Keeps the query and the variables of the open tab, and the view of its response, in the fragment of the page's URL, and opens those
 * of a link. It runs an operation at the start, if there is one to run.
 */
export function Address({ settings, opened, runsFirst }: AddressProps) {
  const { run } = useGraphiQLActions();
  const tabs = useTabs();
  const latest = useRef(tabs);
  latest.current = tabs;
  const { id, text, isReady } = tabs;
  const view = useSyncExternalStore(responseStore.subscribe, responseStore.view);

  const changed = useRef(0);
  useEffect(() => {
    const change = () => {
      changed.current = performance.now();
      show(text, view);
    };
    const timer = setTimeout(change, changed.current + ADDRESS_PAUSE_MS - performance.now());
    return () => clearTimeout(timer);
  }, [text, view]);

  // The link whose view waits for its tab to be open.
  const [link, setLink] = useState<Link | undefined>(opened);
  useEffect(() => {
    if (link?.text.query !== text.query || link.text.variables !== text.variables) return;
    responseStore.showView(id, link.view);
    setLink(undefined);
  }, [link, id, text]);

  useEffect(() => {
    // The event comes later than the change: by then the address may be that of the open tab again.
    const onHashChange = ({ newURL }: HashChangeEvent) => {
      const entered = linkOf(new URL(newURL).hash, settings);
      if (entered === undefined) return;
      latest.current.open(entered.text);
      setLink(entered);
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

/** The address of the page with this text and this view in its fragment. */
export function addressOf(text: TabText, view: PaneView): string {
  return `${location.pathname}${location.search}${fragmentOf(text, view)}`;
}

function show(text: TabText, view: PaneView): void {
  history.replaceState(history.state, '', addressOf(text, view));
  sessionStorage.setItem(FRAGMENT_KEY, location.hash);
}
