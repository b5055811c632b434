/** The known piece of work is to parse this: 4 ms where a response of the subgraph takes 20 to 40. */
const KNOWN_JSON = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ a: at, b: `x${at}`, c: [1.5, 2, 3] })));

/**
 * What the machine takes just now for a known piece of work, in milliseconds of CPU time: the median of five. A machine that is busy or
 * slow is slow at what is measured, too.
 */
export function knownMs(): number {
  const taken = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage();
    JSON.parse(KNOWN_JSON);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return taken.sort((a, b) => a - b)[2] as number;
}
