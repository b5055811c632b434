import { addressOf } from './address.tsx';
import { fragmentOf } from './fragment.ts';
import { hasTooManyNames, MAX_NAMES } from './response/pane-view.ts';
import { responseStore } from './response/response-store.ts';
import { useNotice } from './use-notice.ts';
import { useTabs } from './use-tabs.ts';

/** A button that copies a link to the query and the variables of the open tab, with the view of its response and without the token. */
export function CopyLink() {
  const tabs = useTabs();
  const [said, say] = useNotice();
  const copy = async () => {
    const { tabs: all, activeTabIndex } = tabs.current();
    const { query, variables } = all[activeTabIndex] ?? {};
    const text = { query: query ?? '', variables: variables ?? '' };
    const view = responseStore.view();
    if (fragmentOf(text, view) === '') return say('This query is too long for a link.');
    try {
      await navigator.clipboard.writeText(new URL(addressOf(text, view), location.href).href);
      const cut = hasTooManyNames(view) ? ` It names only the first ${MAX_NAMES} lines or metrics.` : '';
      say(`Copied. The link has no token.${cut}`);
    } catch {
      // Browsers allow it only over HTTPS and on this host.
      say('Copy the address of this page instead.');
    }
  };
  return (
    <span className="copy-link">
      <button type="button" onClick={copy}>
        Copy link
      </button>{' '}
      <span role="status">{said}</span>
    </span>
  );
}
