import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { type SourceFile, decoratorsOf, isTest, kindOf, nodesOf, place } from './source-tree.js';

const ROUTE_DECORATORS = ['Get', 'Post', 'Put', 'Patch', 'Delete', 'All'];

/** S86: every route of a controller says who may call it, itself or through its class. */
export function openRouteFaults(files: SourceFile[]): string[] {
  return files
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      nodesOf(file, ts.isClassDeclaration)
        .filter((node) => decoratorsOf(node).includes('Controller'))
        .filter((node) => !decoratorsOf(node).includes('AllowCallers'))
        .flatMap(({ members }) => members.filter(ts.isMethodDeclaration))
        .filter((method) => {
          const decorators = decoratorsOf(method);
          const isRoute = decorators.some((name) => ROUTE_DECORATORS.includes(name));
          return isRoute && !decorators.includes('AllowCallers');
        })
        .map((method) => `${place(file, method)}: ${method.name.getText()} names no callers`),
    );
}

/**
 * Repository methods that know no account yet, because they are how it is found, or that serve no
 * tenant's rows. Everything else names its account (S87).
 */
const FINDS_THE_ACCOUNT =
  /^(find|get|lock|claim|insert|consume|use|end|delete|touch|mark|note|renew|set)\w*(ByHash|ByToken|ByEmail|ByAddress|ByClaim|ByPerson|ByLease)\w*$/;

/**
 * S87: a method of a tenant table's repository takes the account id before anything else but the
 * transaction, or an object or entity that carries it, and its statements name the column. Work across
 * accounts lives in repositories called `…-maintenance` and `…-auditor`.
 */
export function tenancyFaults(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => kindOf(path) === 'repository' && path.startsWith('apps/'))
    .filter(({ path, text }) => !/maintenance|auditor/.test(path) && text.includes('account_id'))
    .flatMap((file) => publicMethods(file).flatMap((method) => tenancyFault(file, method)));
}

function publicMethods(file: SourceFile): ts.MethodDeclaration[] {
  return nodesOf(file, ts.isMethodDeclaration).filter(
    (node) =>
      node.body && !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword),
  );
}

function tenancyFault(file: SourceFile, method: ts.MethodDeclaration): string[] {
  const name = method.name.getText();
  if (FINDS_THE_ACCOUNT.test(name)) return [];
  const [first] = method.parameters.filter(
    (parameter) => parameter.name.getText() !== 'transaction',
  );
  const carries = first?.getText().includes('accountId') || isNamedType(first);
  return carries ? [] : [`${place(file, method)}: ${name} does not begin with the account`];
}

/** A row, entity or input object of our own, whose type holds the account id. */
function isNamedType(parameter: ts.ParameterDeclaration | undefined): boolean {
  const type = parameter?.type;
  return type !== undefined && ts.isTypeReferenceNode(type) && /^[A-Z]/.test(type.getText());
}

/** S109: the framework's own TCP, RMQ and Kafka transports have open or measured faults. */
export function transportFaults(files: SourceFile[]): string[] {
  return files.flatMap((file) =>
    nodesOf(file, ts.isPropertyAccessExpression)
      .filter((node) => node.expression.getText() === 'Transport')
      .map((node) => `${place(file, node)}: ${node.getText()}`),
  );
}

interface LockFile {
  lockfileVersion: number;
  packages: Record<
    string,
    { version?: string; resolved?: string; integrity?: string; link?: boolean; inBundle?: boolean }
  >;
}

const lockFile = (): LockFile => JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;

/** The installed version of a package, as numbers. */
export function lockedVersion(name: string): number[] {
  const { version } = lockFile().packages[`node_modules/${name}`];
  return (version ?? '').split('.').map(Number);
}

/** S106: what is installed is exactly what was written down, old enough, from a registry, without scripts. */
export function supplyFaults(): string[] {
  const settings = readFileSync('.npmrc', 'utf8');
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    'dependencies' | 'devDependencies' | 'optionalDependencies',
    Record<string, string>
  >;
  const { lockfileVersion, packages } = lockFile();
  const faults: string[] = [];
  if (!/^ignore-scripts=true$/m.test(settings)) faults.push('.npmrc: install scripts are on');
  const days = Number(/^min-release-age=(\d+)$/m.exec(settings)?.[1] ?? 0);
  if (days < 7) faults.push('.npmrc: min-release-age is below a week');
  if (lockfileVersion !== 3) faults.push('package-lock.json: not version 3');
  const wanted = { ...manifest.dependencies, ...manifest.devDependencies };
  for (const [name, version] of Object.entries({ ...wanted, ...manifest.optionalDependencies })) {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) faults.push(`${name}: ${version} is not exact`);
  }
  for (const [path, { resolved, integrity, inBundle }] of Object.entries(packages)) {
    if (path === '' || inBundle) continue;
    const isRegistry = resolved === undefined || /^https:\/\/.+\.tgz$/.test(resolved);
    if (!isRegistry || !integrity) faults.push(`${path}: not from a registry, or without a hash`);
  }
  return faults;
}
