import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type SourceFile, differences, isSpec, kindOf } from './source-tree.js';

/**
 * The kinds of files in a feature, in an app as a whole, in tests and in a library. `contract` is a suite that every
 * implementation of a port runs, or code that several specs of a folder share.
 */
const KINDS: readonly [room: RegExp, kinds: RegExp][] = [
  [
    /^apps\/[^/]+\/src\/.+\//,
    /^(controller|dto|service|repository|entity|consumer|watcher|job|errors|spec)$/,
  ],
  [/^apps\//, /^(module|config|spec)$/],
  [/^test\//, /^(spec|contract|bench|story)$/],
  [/^libs\//, /^(config|spec|contract|errors|client|entity|filter|module|repository)$/],
];

/** Words that do not describe the contents of a file or folder, alone or at the end of a name. */
const BANNED_NAMES =
  /^(utils?|helpers?|commons?|shared|misc|managers?|base|types|constants|core|interfaces)$|-(utils?|helpers?|misc|types|constants)$/;
const FILES_MAX = 12;

/** Checks that each file's name describes its contents, by rejecting words that do not. */
export function nameFaults(files: SourceFile[]): string[] {
  return files.flatMap(({ path }) => {
    const banned = path.split(/[/.]/).filter((part) => BANNED_NAMES.test(part));
    return banned.map((name) => `${path}: "${name}" does not describe the contents`);
  });
}

/**
 * Checks that each folder contains only the kinds of files that the house style allows there, and that consumers and
 * watchers are named after their events.
 */
export function kindFaults(files: SourceFile[]): string[] {
  return files.flatMap(({ path }) => {
    const kind = kindOf(path);
    if (kind === undefined) return [];
    const [, kinds] = KINDS.find(([room]) => room.test(path))!;
    if (!kinds.test(kind)) return [`${path}: no such kind of file here: ${kind}`];
    const isNamed = !/^(consumer|watcher)$/.test(kind) || basename(path).startsWith('on-');
    return isNamed ? [] : [`${path}: a ${kind} is named on-<event>.${kind}.ts`];
  });
}

/**
 * Finds folders of features with more than twelve files, which should be split. Specs and migrations do not count. A
 * `src` folder may have any number of files, because each is a separate topic.
 */
export function folderFaults(files: SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = dirname(file.path);
    if (isSpec(file) || !/^(apps|libs)\/[^/]+\/src\/./.test(folder)) continue;
    if (folder.endsWith('/migrations')) continue;
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > FILES_MAX)
    .map(([folder, count]) => `${folder}: ${count} files`);
}

/** Checks that every app and library has a README. `paths` are all files of the repository. */
export function readmeFaults(paths: string[]): string[] {
  const rooms = new Set(paths.flatMap((path) => /^(apps|libs)\/[^/]+(?=\/)/.exec(path)?.[0] ?? []));
  return [...rooms]
    .filter((room) => !paths.includes(`${room}/README.md`))
    .map((room) => `${room}: no README.md`);
}

/** Finds apps that `nest build` does not find, and projects in nest-cli.json without an entry file. */
export function nestFaults(paths: string[]): string[] {
  const text = readFileSync('nest-cli.json', 'utf8');
  const { projects } = JSON.parse(text) as { projects: Record<string, { entryFile: string }> };
  const listed = Object.values(projects).map(({ entryFile }) => `${entryFile}.ts`);
  const starts = paths.filter((path) => /^apps\/[^/]+\/src\/main\.ts$/.test(path));
  return differences(starts, listed, ['not in nest-cli.json', 'in nest-cli.json, but missing']);
}
