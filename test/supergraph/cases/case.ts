import type { Rig } from '../rig.ts';

/** Something that must hold behind every gateway; where gateways differ, it holds what their habits say. */
export type Cases = Readonly<Record<string, (rig: Rig) => Promise<void>>>;
