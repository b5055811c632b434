// Plain JavaScript, and nothing imported: it must run on every Node.js, to say which one is needed.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`dataset-subgraph needs Node.js 22.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}
