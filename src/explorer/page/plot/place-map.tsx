import { useEffect, useMemo, useState } from 'react';
import { loadCoasts } from './coasts.ts';
import { mapOption } from './map-option.ts';
import type { Place } from './response.ts';
import type { Colours } from './theme.ts';
import { useChart } from './use-chart.ts';

/** Where the assets are, on a small map. */
export function PlaceMap({ places, colours }: { places: readonly Place[]; colours: Colours }) {
  const [hasCoasts, setHasCoasts] = useState(false);
  useEffect(() => {
    loadCoasts().then(() => setHasCoasts(true));
  }, []);
  const option = useMemo(() => (hasCoasts ? mapOption(places, colours) : undefined), [hasCoasts, places, colours]);
  const [place] = useChart(option);
  return (
    <figure className="plot-map">
      <div ref={place} className="plot-canvas" role="img" aria-label={`A map with ${namesOf(places)}`} />
    </figure>
  );
}

/** Whose names a screen reader reads out; of more only how many there are. */
const MAX_NAMES = 20;

function namesOf(places: readonly Place[]): string {
  if (places.length > MAX_NAMES) return `${places.length} assets`;
  return places.map(({ name, latitude, longitude }) => `${name || 'an asset'} at ${latitude}, ${longitude}`).join('; ');
}
