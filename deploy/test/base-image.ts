import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startProgram } from '../../test/support/process.ts';
import type { Buildah } from './buildah.ts';

/** The programs that npm scripts need, beside Node.js. */
const PROGRAMS = ['sh', 'env'];

/** The parts of the C library that native addons may load, and those that resolve host names. */
const SYSTEM_LIBRARIES = [
  ...['libdl.so.2', 'libm.so.6', 'libpthread.so.0', 'librt.so.1', 'libutil.so.1'],
  ...['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'],
];

const accounts = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n',
  'etc/group': 'root:x:0:\nnode:x:1000:\n',
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/**
 * Makes an image that has what the Containerfile needs of node:24-slim: this machine's Node.js and npm, the libraries that they load,
 * a shell, and a user `node`. So the test needs no registry of images. It says so for both architectures of a release: nothing runs on
 * the other one.
 */
export async function makeBaseImage(buildah: Buildah): Promise<string> {
  const root = join(buildah.folder, 'base');
  for (const folder of ['etc', 'home/node', 'root', 'usr/bin', 'usr/lib', 'usr/lib64'])
    await mkdir(join(root, folder), { recursive: true });
  await mkdir(join(root, 'tmp'), { mode: 0o1777 });
  for (const folder of ['bin', 'lib', 'lib64']) await symlink(`usr/${folder}`, join(root, folder));
  for (const [file, text] of Object.entries(accounts)) await writeFile(join(root, file), text);

  const files = new Map([[await realpath(process.execPath), 'usr/bin/node']]);
  for (const name of PROGRAMS)
    files.set(await realpath(await print('sh', '-c', `command -v ${name}`)), `usr/bin/${name}`);
  for (const [from, to] of files) await copyFile(from, join(root, to));
  const libraries = [...(await librariesOf([...files.keys()]))];
  const systemLibraries = dirname(libraries.find((library) => library.includes('/libc.so.')) ?? '/');
  for (const name of SYSTEM_LIBRARIES) libraries.push(join(systemLibraries, name));
  for (const library of libraries.filter((path) => existsSync(path))) {
    await mkdir(dirname(join(root, library)), { recursive: true });
    await copyFile(library, join(root, library));
  }
  const npm = dirname(dirname(await realpath(process.env.npm_execpath ?? (await print('sh', '-c', 'command -v npm')))));
  await cp(npm, join(root, 'usr/lib/npm'), { recursive: true, verbatimSymlinks: true });
  await symlink('../lib/npm/bin/npm-cli.js', join(root, 'usr/bin/npm'));

  const container = await buildah.run('from', 'scratch');
  await buildah.run('copy', '--quiet', container, root, '/');
  const images: string[] = [];
  for (const architecture of ['amd64', 'arm64']) {
    const image = `localhost/base-${architecture}`;
    await buildah.run('config', '--arch', architecture, '--env', 'PATH=/usr/bin', container);
    await buildah.run('commit', '--quiet', container, image);
    images.push(image);
  }
  await buildah.run('manifest', 'create', 'localhost/base:latest', ...images);
  return 'localhost/base:latest';
}

/**
 * The volumes with which `npm ci` works in a build as it does on this machine: with its registry and its cache. They are not part of any
 * image.
 */
export async function npmVolumes(buildah: Buildah): Promise<string[]> {
  const setting = (name: string) => print('npm', 'config', 'get', name);
  const lines = [`registry=${await setting('registry')}`, 'prefer-offline=true', 'fetch-timeout=30000'];
  for (const name of ['proxy', 'https-proxy', 'noproxy']) {
    const value = await setting(name);
    if (value !== 'null' && value !== '') lines.push(`${name}=${value}`);
  }
  const volumes = [`${await setting('cache')}:/root/.npm`];
  const cafile = await setting('cafile');
  const authorities = cafile === 'null' ? process.env.NODE_EXTRA_CA_CERTS : cafile;
  if (authorities !== undefined) {
    lines.push('cafile=/root/authorities.pem');
    await writeFile(join(buildah.folder, 'authorities.pem'), await readFile(authorities));
    volumes.push(`${join(buildah.folder, 'authorities.pem')}:/root/authorities.pem:ro`);
  }
  await writeFile(join(buildah.folder, 'npmrc'), `${lines.join('\n')}\n`);
  return [...volumes, `${join(buildah.folder, 'npmrc')}:/root/.npmrc:ro`].flatMap((volume) => ['--volume', volume]);
}

/** How many files a program may have open here. npm opens more than buildah allows by default. */
export async function maxOpenFiles(): Promise<string> {
  const limit = await print('sh', '-c', 'ulimit -Hn');
  return limit === 'unlimited' ? '65536' : limit;
}

/** The libraries that programs load, the loader included. */
async function librariesOf(programs: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await print('ldd', ...programs);
  return new Set([...found.matchAll(/^\t(?:.* => )?(\/\S+) \(0x/gm)].map(([, path = '']) => path));
}

/** What a program prints. Throws if it fails. */
async function print(program: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await startProgram(program, args).ended;
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout.trim();
}
