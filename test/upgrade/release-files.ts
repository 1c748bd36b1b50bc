import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNRELEASED_HEADING, releasedVersions } from './releases.js';

const CHANGELOG = 'CHANGELOG.md';
/** The version's places apart from the changelog. Each pattern matches the version after what precedes it. */
const VERSION_PLACES: readonly [path: string, place: RegExp][] = [
  ['package.json', /(?<=^ {2}"version": ")[^"]+/m],
  ['package-lock.json', /(?<=^ {2}"version": ")[^"]+/m],
  ['package-lock.json', /(?<=^ {6}"name": "domain-data-service",\n {6}"version": ")[^"]+/m],
  ['docker-compose.yml', /(?<=image: domain-data-service:)\S+/],
  ['Dockerfile', /(?<=image\.version=")[^"]+/],
  ['deploy/helm/domain-data-service/Chart.yaml', /(?<=^version: )\S+/m],
  ['deploy/helm/domain-data-service/Chart.yaml', /(?<=^appVersion: )\S+/m],
  ['deploy/helm/domain-data-service/ci/all-on-values.yaml', /(?<=^ {2}tag: )\S+/m],
];

export function versionFaults(folder = '.'): string[] {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const version = (JSON.parse(read('package.json')) as { version: string }).version;
  const places = VERSION_PLACES.map(([path, place]) => [path, place.exec(read(path))?.[0]]);
  const changelog = read(CHANGELOG);
  const headings = changelog.match(/^## .*$/gm) ?? [];
  const versions = releasedVersions(changelog);
  const isUnreleased = headings[0] === UNRELEASED_HEADING;
  return [
    ...places
      .filter(([, found]) => found !== version)
      .map(([path, found]) => `${path}: ${found ?? 'no version'} instead of ${version}`),
    ...(headings.length === versions.length + Number(isUnreleased)
      ? []
      : [`${CHANGELOG}: a heading is neither "${UNRELEASED_HEADING}" nor "## 0.1.0 (date)"`]),
    ...versions
      .slice(1)
      .filter((older, index) => !isNewer(versions[index], older))
      .map((older) => `${CHANGELOG}: ${older} is not older than the heading above it`),
    ...(versions.length === 0 || versions[0] === version
      ? []
      : [`${CHANGELOG}: ${versions[0]} is the last release, and the version is ${version}`]),
  ];
}

/**
 * Writes a version into the package, the Dockerfile, the compose file and the chart, and with its date into the
 * changelog.
 * @throws Error, without changing anything, if the version is malformed or does not follow the last release, or if the
 *   changelog has no heading `## Unreleased`.
 */
export function writeVersion(version: string, date: string, folder = '.'): void {
  const changelog = readFileSync(join(folder, CHANGELOG), 'utf8');
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`${version} is not a version such as 0.1.0`);
  const last = releasedVersions(changelog).at(0);
  if (last !== undefined && !isNewer(version, last)) {
    throw new Error(`${version} does not follow ${last}, the last release`);
  }
  if (!changelog.includes(`\n${UNRELEASED_HEADING}\n`)) {
    throw new Error(`${CHANGELOG} has no "${UNRELEASED_HEADING}": say what has changed`);
  }
  const dated = changelog.replace(UNRELEASED_HEADING, `## ${version} (${date})`);
  writeFileSync(join(folder, CHANGELOG), dated);
  for (const [path, place] of VERSION_PLACES) {
    const file = join(folder, path);
    writeFileSync(file, readFileSync(file, 'utf8').replace(place, version));
  }
}

function isNewer(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split('.').map(Number));
  const differs = one.findIndex((part, index) => part !== other[index]);
  return differs >= 0 && one[differs] > other[differs];
}
