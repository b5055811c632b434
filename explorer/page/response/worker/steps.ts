/** The steps between the dates of a line whose dates are regular. */
export interface Steps {
  /** The usual step, in milliseconds. */
  readonly usual: number;
  /** The mean of the steps that are like the usual one, in milliseconds: months differ. */
  readonly mean: number;
  /** A longer step is a gap, in milliseconds. */
  readonly longest: number;
}

/** With fewer steps no step is usual. */
const MIN_STEPS = 4;

/** Steps are alike within this part of the usual one: months are. */
const TOLERANCE = 0.1;

/** A step is a gap if it is so many times as long as this part of all steps. Weekends are a fifth of the steps of working days. */
const GAP_FACTOR = 1.5;
const USUAL_PART = 0.9;

/** The steps between sorted times; undefined unless most of them are alike. */
export function stepsOf(times: Float64Array): Steps | undefined {
  const steps = times
    .subarray(1)
    .map((time, index) => time - (times[index] ?? time))
    .filter((step) => step > 0)
    .sort();
  if (steps.length < MIN_STEPS) return undefined;
  const at = (part: number) => steps[Math.floor((steps.length - 1) * part)] ?? 0;
  const usual = at(0.5);
  const alike = steps.filter((step) => Math.abs(step - usual) <= usual * TOLERANCE);
  if (alike.length * 2 <= steps.length) return undefined;
  const mean = alike.reduce((sum, step) => sum + step, 0) / alike.length;
  return { usual, mean, longest: at(USUAL_PART) * GAP_FACTOR };
}
