import type { Rig } from '../rig.ts';

/** Checks that must pass behind every gateway. Where gateways differ, they check the gateway's habits. */
export type Cases = Readonly<Record<string, (rig: Rig) => Promise<void>>>;
