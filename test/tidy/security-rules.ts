import { readFileSync } from 'node:fs';
import ts from 'typescript';
import {
  type SourceFile,
  decoratorsOf,
  isTest,
  kindOf,
  noText,
  nodesOf,
  place,
} from './source-tree.js';

const ROUTE_DECORATORS = /^(All|Delete|Get|Head|Options|Patch|Post|Put|RequestMapping|Search|Sse)$/;

/** The decorators that name the callers of a route: between services, and in the dashboard. */
const NAMING_DECORATORS = ['AllowCallers', 'AllowVisitors'];

/**
 * S86: checks that every route of a controller says who may call it: on its method, on its class, or through a composed
 * decorator.
 */
export function openRouteFaults(files: SourceFile[]): string[] {
  const naming = new Set([
    ...NAMING_DECORATORS,
    ...files.flatMap((file) => madeOfAllowCallers(file)),
  ]);
  const names = (node: ts.HasDecorators) => decoratorsOf(node).some((name) => naming.has(name));
  return files
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      nodesOf(file, ts.isClassDeclaration, /@Controller\b/)
        .filter((node) => decoratorsOf(node).includes('Controller') && !names(node))
        .flatMap(({ members }) => members.filter(ts.isMethodDeclaration))
        .filter((method) => decoratorsOf(method).some((name) => ROUTE_DECORATORS.test(name)))
        .filter((method) => !names(method))
        .map((method) => `${place(file, method)}: ${method.name.getText()} names no callers`),
    );
}

function madeOfAllowCallers(file: SourceFile): string[] {
  const called = /AllowCallers\(/;
  const functions = nodesOf(file, ts.isFunctionDeclaration, called);
  const constants = nodesOf(file, ts.isVariableDeclaration, called);
  return [...functions, ...constants]
    .filter((node) => node.getText().includes('AllowCallers('))
    .map((node) => node.name?.getText() ?? '');
}

/** Methods without an account in their parameters, by the reason why they are safe. */
const WITHOUT_ACCOUNT: Readonly<Record<string, string>> = {
  'the rows were read under their accounts': `SubscriptionsRepository.closePeriodsBefore
    ReservationsRepository.listSlices ReservationsRepository.putSlices RequestLogRepository.sumCreditsOfKeys`,
  'they work for all accounts': `GrantsRepository.listDueAccounts OlderWorkRepository.takePrinting
    LedgerRepository.lockAccounts LeasesRepository.listRecalled RequestLogRepository.endWriters
    UploadsRepository.listExpired DeliveriesRepository.listAccountsListening
    DeliveriesRepository.deleteBefore OlderWorkRepository.takeObjects`,
  'the work names it': `DeliveriesRepository.findAddressed UploadsRepository.find UploadsRepository.refuse`,
};
const NO_ACCOUNT = ['Transaction', 'Runner', 'Buffer', 'Date', 'UploadContent', 'UploadRefusal'];

/**
 * S87: checks that each method of a tenant table's repository takes the account, directly or in a row, entity or input
 * that contains it. Work across accounts is in repositories called `…Maintenance…` or `…Auditor…`, or uses the
 * maintenance role.
 */
export function tenancyFaults(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => kindOf(path) === 'repository' && path.startsWith('apps/'))
    .flatMap((file) =>
      nodesOf(file, ts.isClassDeclaration, /account_id|accountId/)
        .filter(({ name }) => /^(?!.*(Maintenance|Auditor)).*Repository$/.test(name?.text ?? ''))
        .flatMap((owner) => publicMethods(owner).map((method) => ({ owner, method })))
        .filter(({ owner, method }) => !namesAccount(owner, method))
        .map(({ method }) => `${place(file, method)}: ${method.name.getText()} names no account`),
    );
}

function publicMethods({ members }: ts.ClassDeclaration): ts.MethodDeclaration[] {
  const isPrivate = ({ modifiers }: ts.MethodDeclaration) =>
    modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
  return members.filter(ts.isMethodDeclaration).filter((method) => !isPrivate(method));
}

function namesAccount(owner: ts.ClassDeclaration, method: ts.MethodDeclaration): boolean {
  const excepted = Object.values(WITHOUT_ACCOUNT).join(' ').split(/\s+/);
  if (excepted.includes(`${owner.name?.text}.${method.name.getText()}`)) return true;
  const body = method.body?.getText() ?? '';
  if (body.includes('this.maintenance.') && !body.includes('this.database.')) return true;
  return method.parameters.some((parameter) => {
    const type = parameter.type?.getText() ?? '';
    const isOurs = /^[A-Z]\w+(\[\])?$/.test(type) && !NO_ACCOUNT.includes(type);
    return isOurs || parameter.getText().includes('accountId');
  });
}

const FIND_METHODS = /^(find|findBy|findOne|findOneBy|findOneByOrFail|findAndCount)$/;

/**
 * S92: checks that conditions and sort orders are literals in the source. If a whole request or query were a `find`
 * condition, its members would become operators (CVE-2022-33171); a variable in `orderBy` would become SQL.
 */
export function queryFaults(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => kindOf(path) === 'repository')
    .flatMap((file) =>
      nodesOf(file, ts.isCallExpression, /\.(?:find|orderBy|addOrderBy)/)
        .filter(({ expression }) => ts.isPropertyAccessExpression(expression))
        .filter((call) => {
          const name = (call.expression as ts.PropertyAccessExpression).name.text;
          if (/^(orderBy|addOrderBy)$/.test(name)) return !ts.isStringLiteral(call.arguments[0]);
          return FIND_METHODS.test(name) && !ts.isObjectLiteralExpression(call.arguments.at(-1)!);
        })
        .map((call) => `${place(file, call)}: ${call.expression.getText()} takes a variable`),
    );
}

/**
 * Finds tests whose titles name a statement in a form other than `S57: …` or `S57, S58: …`, which the coverage table
 * would miss.
 */
export function proofNameFaults(files: SourceFile[]): string[] {
  return files
    .filter((file) => isTest(file))
    .flatMap((file) =>
      nodesOf(file, ts.isCallExpression, /['"`](?!S\d+(?:,? S\d+)*: .)S\d/)
        .filter(({ expression }) => /^(it|test|describe)\b/.test(expression.getText()))
        .map(({ arguments: [name] }) => name)
        .filter((name) => name !== undefined && ts.isStringLiteralLike(name))
        .filter(({ text }) => /^S\d/.test(text) && !/^S\d+(,? S\d+)*: ./.test(text))
        .map((name) => `${place(file, name)}: ${name.text}`),
    );
}

/** S109: the framework's own TCP, RMQ and Kafka transports are not used: they have unfixed or measured faults. */
export const transportFaults = noText(/\bTransport\.[A-Z]\w*/g, (file) => !isTest(file));

interface LockFile {
  lockfileVersion: number;
  packages: Record<
    string,
    { version?: string; resolved?: string; integrity?: string; link?: boolean; inBundle?: boolean }
  >;
}

const lockFile = (): LockFile => JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;

/** Returns the installed version of a package as numbers. */
export function lockedVersion(name: string): number[] {
  const { version } = lockFile().packages[`node_modules/${name}`];
  return (version ?? '').split('.').map(Number);
}

/** S106: checks that dependencies are exact, old enough and from a registry, and run no scripts. */
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
    if (!/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      faults.push(`${name}: ${version} is not exact`);
  }
  for (const [path, { resolved, integrity, inBundle }] of Object.entries(packages)) {
    if (path === '' || inBundle) continue;
    const isRegistry = resolved === undefined || /^https:\/\/.+\.tgz$/.test(resolved);
    if (!isRegistry || !integrity) faults.push(`${path}: not from a registry, or without a hash`);
  }
  return faults;
}
