import { posix } from 'node:path';
import { type SourceFile, importsOf, isTest } from './source-tree.js';

/** The libraries in their order: each may import only those before it. */
const LIBRARIES = [
  'platform',
  'domain-names',
  'contracts',
  'database',
  'messaging',
  'counters',
  'files',
  'work',
  'mail',
  'services',
  'resolvers',
  'public-http',
];

/** Whether a file belongs to the app that runs the product with test brokers and clocks, and is never in an image. */
const isTrial = (path: string) => path.startsWith('apps/cluster/');

const libraryOf = (path: string) => /^libs\/([^/]+)\//.exec(path)?.[1];
const appOf = (path: string) => /^apps\/([^/]+)\//.exec(path)?.[1];

/** Returns the imports of files, each with its target within the repository if it is relative. */
const importsIn = (files: SourceFile[]) =>
  files.flatMap((file) =>
    importsOf(file).map(({ from, where }) => {
      const folder = posix.dirname(file.path);
      const target = from.startsWith('.') ? posix.join(folder, from) : '';
      return { file, folder, from, target, at: `${where} ${from}` };
    }),
  );

/** Checks that libraries import only those before them, and are imported only by name. */
export function libraryFaults(files: SourceFile[]): string[] {
  return importsIn(files).flatMap(({ file, from, target, at }) => {
    const [own, reached] = [libraryOf(file.path), libraryOf(target)];
    const wanted = /^#libs\/(.+)$/.exec(from)?.[1];
    const isTestCode = from.startsWith('#test/') || target.startsWith('test/');
    if (isTestCode && !isTest(file) && !isTrial(file.path)) return [`${at}: only tests use it`];
    if (wanted && !LIBRARIES.includes(wanted)) return [`${at}: there is no such library`];
    if (reached && reached !== own) return [`${at}: import it as #libs/${reached}`];
    if (own && target.startsWith('apps/')) return [`${at}: a library must not import an app`];
    if (!own || !wanted) return [];
    const isBefore = LIBRARIES.indexOf(wanted) < LIBRARIES.indexOf(own);
    const isItself = wanted === own && isTest(file);
    return isBefore || isItself ? [] : [`${at}: ${own} comes before ${wanted}`];
  });
}

/** The registry of services, the only file outside the apps that imports them. */
const REGISTRY = 'apps/services.js';
const REGISTRY_READERS = ['solo', 'cluster', 'cli'];

/**
 * Checks that apps import one another only where `mayImport` allows it, because each is a separate process, and that
 * only solo, cluster and cli read the registry.
 */
export function appFaults(files: SourceFile[]): string[] {
  return importsIn(files).flatMap(({ file, target, at }) => {
    const [own, wanted] = [appOf(file.path), appOf(target)];
    if (target === REGISTRY && own && !isTest(file) && !REGISTRY_READERS.includes(own)) {
      return [`${at}: ${own} must not import the registry`];
    }
    const isOutside = own !== undefined && wanted !== undefined && own !== wanted;
    const isAllowed = !isOutside || mayImport(file.path, own, wanted);
    return isAllowed ? [] : [`${at}: ${own} must not import ${wanted}`];
  });
}

/**
 * Whether a file may import another app. solo runs all apps, cluster shares the code of an installation with solo
 * (folder, lock, secrets, demo account), cli documents the settings of apps that are not services, and specs may import
 * any app.
 */
const mayImport = (path: string, app: string, wanted: string) =>
  app === 'solo' ||
  (app === 'cluster' && wanted === 'solo') ||
  path === 'apps/cli/src/declared.ts' ||
  path.endsWith('.spec.ts');

/**
 * Checks that a feature's repository is imported only in its own folder, because its rows are private: other features
 * use its service. Imports of types also count.
 */
export function featureFaults(files: SourceFile[]): string[] {
  const isFeature = (path: string) => /^apps\/[^/]+\/src\/.+\//.test(path);
  return importsIn(files.filter((file) => isFeature(file.path) && !isTest(file)))
    .filter(({ target }) => target.endsWith('.repository.js') && isFeature(target))
    .filter(({ folder, target }) => posix.dirname(target) !== folder)
    .map(({ at }) => `${at}: import its service instead`);
}

/**
 * Checks that no two folders import each other, not counting specs. Imports of types also count. A feature and its
 * parent folder may import each other, because the module of an app needs both directions.
 */
export function mutualFaults(files: SourceFile[]): string[] {
  const edges = new Set<string>();
  for (const { folder: own, target } of importsIn(files.filter((file) => !isTest(file)))) {
    const other = posix.dirname(target);
    if (target && !isWithin(own, other) && !isWithin(other, own)) edges.add(`${own} ${other}`);
  }
  const pairs = [...edges].filter((edge) => {
    const [one, other] = edge.split(' ');
    return one < other && edges.has(`${other} ${one}`);
  });
  return pairs.map((pair) => `${pair}: import each other`);
}

const isWithin = (folder: string, parent: string) =>
  folder === parent || folder.startsWith(`${parent}/`);
