import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';

/*
 * For `node --import`: after each SIGUSR2 the program prints a line with the files of the project whose functions have run since the last one,
 * `ran 1: ["src/main.ts"]`, by V8's precise coverage. Initialisers of fields do not count.
 */

const project = fileURLToPath(new URL('../..', import.meta.url));
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
let count = 0;

process.on('SIGUSR2', () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const files = result.flatMap(({ url, functions }) => {
      const ran = functions.some(
        ({ functionName, ranges: [whole] }) =>
          functionName !== '' && !functionName.includes('initializer>') && (whole?.count ?? 0) > 0,
      );
      return ran && url.startsWith('file:') ? [fileURLToPath(url)] : [];
    });
    const own = files.flatMap((file) => (file.startsWith(project) ? [file.slice(project.length)] : []));
    count += 1;
    process.stdout.write(`ran ${count}: ${JSON.stringify(own.filter((file) => !file.includes('node_modules/')))}\n`);
  });
});
