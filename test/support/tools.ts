import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that suites start, and Debian's packages that have them. */
const packages = {
  buildah: 'buildah',
  // Older releases of Debian have only the browser with a window.
  'chromium-headless-shell': 'chromium-headless-shell || apt-get install chromium',
  prometheus: 'prometheus',
  promtool: 'prometheus',
  shellcheck: 'shellcheck',
} as const;

/** Modules of Python that suites import, and Debian's packages that have them. */
const pythonPackages = {
  ensurepip: 'python3-venv',
  matplotlib: 'python3-matplotlib',
  pandas: 'python3-pandas',
  requests: 'python3-requests',
} as const;

type Tool = keyof typeof packages;
type PythonModule = keyof typeof pythonPackages;

/** Chromium; its headless shell takes a third less time. */
export const chromiumNames = ['chromium-headless-shell', 'chromium', 'google-chrome'];

/** Debian's Python. */
export const PYTHON = '/usr/bin/python3';

/** The path of the first of these programs that is installed. */
export function findTool(...names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/**
 * Ends the process with one line if programs are missing: what they are, and the command that installs them. Called by the
 * configurations of suites, so that no test runs in vain.
 */
export function requireTools(...tools: readonly Tool[]): void {
  const missing = tools.filter((tool) => findTool(tool) === undefined);
  endWithout(
    missing,
    missing.map((tool) => packages[tool]),
  );
}

/** The same for modules of Python. */
export function requirePython(modules: readonly PythonModule[], python = PYTHON): void {
  const find = 'import importlib.util, sys; print(*[m for m in sys.argv[1:] if importlib.util.find_spec(m) is None])';
  const { error, stdout } = spawnSync(python, ['-c', find, ...modules], { encoding: 'utf8' });
  if (error !== undefined) endWithout([python], ['python3', ...modules.map((name) => pythonPackages[name])]);
  const missing = modules.filter((name) => stdout.split(/\s+/).includes(name));
  endWithout(
    missing.map((name) => `Python's ${name}`),
    missing.map((name) => pythonPackages[name]),
  );
}

function endWithout(missing: readonly string[], from: readonly string[]): void {
  if (missing.length === 0) return;
  console.error(`Missing: ${missing.join(', ')}. Install: apt-get install ${[...new Set(from)].join(' ')}`);
  process.exit(1);
}
