/**
 * Adds the other contents of the image to npm's SBOM (CycloneDX): Node, with the libraries that are linked into it, and
 * the Debian packages. Runs as a step of the Dockerfile: node image-sbom.js <file>
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const [, , file] = process.argv;
const sbom = JSON.parse(readFileSync(file, 'utf8'));
const { ID, VERSION_ID } = parseEnv(readFileSync('/etc/os-release', 'utf8'));
const format = '--showformat=${Package}\t${Version}\t${Architecture}\n';
const listed = execFileSync('dpkg-query', ['--show', format], { encoding: 'utf8' });
const packages = listed.trim().split('\n');
for (const line of packages) {
  const [name, version, arch] = line.split('\t');
  const purl = `pkg:deb/${ID}/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=${ID}-${VERSION_ID}`;
  sbom.components.push({ type: 'library', 'bom-ref': purl, name, version, purl });
}
const { node, v8, modules: _abi, napi: _api, ...linked } = process.versions;
sbom.components.push({
  type: 'application',
  'bom-ref': `pkg:generic/node@${node}`,
  name: 'node',
  version: node,
  purl: `pkg:generic/node@${node}`,
  cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
  components: Object.entries({ v8, ...linked }).map(([name, version]) => ({
    type: 'library',
    'bom-ref': `pkg:generic/${name}@${version}`,
    name,
    version,
  })),
});
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
