// Plain JavaScript without imports, so that it runs on every version of Node.js.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`dataset-subgraph needs Node.js 22.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}
