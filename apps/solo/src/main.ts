/**
 * The start of everything on one machine. Imports nothing before the version check: an older Node
 * would fail on the first modern module with a message that helps nobody.
 */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `This needs Node 24.7 or newer and found ${process.versions.node}. Start it with "npm start": npm ci has installed the right one beside the packages (unless it ran with --omit=optional).\n`,
  );
  process.exit(1);
}
const { runSolo } = await import('./run-solo.js');
await runSolo(process.argv, process.env);

export {};
