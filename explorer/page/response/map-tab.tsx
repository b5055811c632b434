import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import { loadCoasts } from './coasts.ts';
import { mapOption, placeText } from './map-option.ts';
import type { Colours } from './theme.ts';
import { useChart } from './use-chart.ts';
import type { Place } from './worker/protocol.ts';

/** A map of the assets. A click on a place, or Enter, shows its line alone. */
export function MapTab(props: {
  places: readonly Place[];
  colours: Colours;
  onOnly: (assets: readonly number[]) => void;
}) {
  const { places, colours, onOnly } = props;
  const [hasCoasts, setHasCoasts] = useState(false);
  const [reading, setReading] = useState(-1);
  useEffect(() => {
    loadCoasts().then(() => setHasCoasts(true));
  }, []);
  const option = useMemo(() => (hasCoasts ? mapOption(places, colours) : undefined), [hasCoasts, places, colours]);
  const { element, chart } = useChart(option);
  const only = (index: number) => {
    const assets = places[index]?.assets ?? [];
    if (assets.length > 0) onOnly(assets);
  };
  useEffect(() => {
    const onClick = ({ dataIndex }: { dataIndex: number }) => only(dataIndex);
    chart?.on('click', onClick as (event: unknown) => void);
    return () => {
      if (chart?.isDisposed() === false) chart.off('click', onClick);
    };
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const last = places.length - 1;
    const steps: Record<string, number> = {
      ArrowRight: Math.min(reading + 1, last),
      ArrowLeft: Math.max(reading - 1, 0),
      Home: 0,
      End: last,
    };
    const index = steps[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') only(reading);
    if (index === undefined) return;
    event.preventDefault();
    setReading(index);
    chart?.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: index });
  };
  const place = places[reading];
  return (
    <>
      <div
        className="response-map"
        role="application"
        aria-roledescription="map"
        aria-label={`A map with ${namesOf(places)}. The arrow keys read out the places, and Enter shows a place’s line alone.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its places
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div ref={element} className="response-canvas" aria-hidden="true" />
      </div>
      <p className="response-reading" aria-live="polite">
        {place && placeText(place)}
      </p>
      <p className="response-hint">A click on a place shows its line alone. Coasts: Natural Earth.</p>
    </>
  );
}

/** The maximum number of places in the text alternative. With more, it has only their number. */
const MAX_NAMES = 20;

function namesOf(places: readonly Place[]): string {
  if (places.length > MAX_NAMES) return `${places.length} places`;
  return places
    .map(({ label, latitude, longitude }) => `${label || 'an asset'} at ${latitude}, ${longitude}`)
    .join('; ');
}
