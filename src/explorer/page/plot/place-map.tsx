import { useEffect, useMemo, useState } from 'react';
import { loadCoasts } from './coasts.ts';
import { mapOption } from './map-option.ts';
import type { Place } from './response.ts';
import type { Colours } from './theme.ts';
import { useChart } from './use-chart.ts';

/** A small map of the assets. */
export function PlaceMap({ places, colours }: { places: readonly Place[]; colours: Colours }) {
  const [hasCoasts, setHasCoasts] = useState(false);
  useEffect(() => {
    loadCoasts().then(() => setHasCoasts(true));
  }, []);
  const option = useMemo(() => (hasCoasts ? mapOption(places, colours) : undefined), [hasCoasts, places, colours]);
  const [element] = useChart(option);
  return (
    <figure className="plot-map">
      <div ref={element} className="plot-canvas" role="img" aria-label={`A map with ${namesOf(places)}`} />
    </figure>
  );
}

/** The maximum number of places in the text alternative. With more, it has only their number. */
const MAX_NAMES = 20;

function namesOf(places: readonly Place[]): string {
  if (places.length > MAX_NAMES) return `${places.length} assets`;
  return places.map(({ name, latitude, longitude }) => `${name || 'an asset'} at ${latitude}, ${longitude}`).join('; ');
}
