import { beforeAll, describe, expect, it } from '@jest/globals';
import * as contracts from '#libs/contracts';
import { OPERATIONS, type Operation, itemProblemsOf, problemsOf } from '#libs/contracts';
import ts from 'typescript';

/** A method that serves a row of the table of operations, with the problems that its code can throw. */
interface ServedRow {
  /** The name of the constant that contains the row, such as `ORDER_CREATE`. */
  row: string;
  /** The path of the controller, such as `apps/billing/src/orders/orders.controller.ts`. */
  path: string;
  codes: Makers;
  itemCodes: Makers;
}

/** The codes of problems, each with the functions that create it. */
type Makers = ReadonlyMap<string, ReadonlySet<string>>;

/** The type with the method that answers one item of several. An error in this method rejects only that item. */
const ITEM_QUESTIONS = { type: 'ItemQuestions', member: 'answer' };

interface Seen {
  next: ts.Node[];
  codes: string[];
  items: ts.Node[];
}

const SERVES = ['Serves', 'ServesBrowser'];
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  experimentalDecorators: true,
  skipLibCheck: true,
  types: ['node'],
  // `#libs/…` resolves to compiled files; the sources contain more types.
  paths: { '#libs/*': ['./libs/*/src/index.ts'] },
};

/**
 * Finds the problems that the methods of controllers can throw: those created in their code, and in the code that they
 * can reach through services, interfaces and functions passed as arguments. Problems that are caught on the way also
 * count; problems in answers of other services do not.
 * @param modules files from which all controllers can be reached.
 */
function servedRows(modules: readonly string[]): ServedRow[] {
  const program = ts.createProgram([...modules], OPTIONS);
  const reach = new Reach(program);
  const rows: ServedRow[] = [];
  for (const source of program.getSourceFiles()) {
    if (!source.fileName.endsWith('.controller.ts')) continue;
    for (const method of source.statements.filter(ts.isClassDeclaration).flatMap(methodsOf)) {
      const row = rowOf(method);
      if (row === undefined) continue;
      const path = source.fileName.slice(process.cwd().length + 1);
      rows.push({ row, path, ...reach.codesFrom(method) });
    }
  }
  return rows;
}

const methodsOf = ({ members }: ts.ClassDeclaration) => members.filter(ts.isMethodDeclaration);

function rowOf(method: ts.MethodDeclaration): string | undefined {
  for (const { expression } of ts.getDecorators(method) ?? []) {
    if (!ts.isCallExpression(expression)) continue;
    if (SERVES.includes(expression.expression.getText())) return expression.arguments[0].getText();
  }
  return undefined;
}

class Reach {
  private readonly checker: ts.TypeChecker;
  /** The classes that implement each interface or extend each class. */
  private readonly heirs = new Map<ts.Symbol, ts.ClassDeclaration[]>();
  private readonly known = new Map<ts.Node, Seen>();

  constructor(program: ts.Program) {
    this.checker = program.getTypeChecker();
    for (const source of program.getSourceFiles()) {
      if (!isOurs(source)) continue;
      for (const statement of source.statements) {
        if (ts.isClassDeclaration(statement)) this.noteHeir(statement);
      }
    }
  }

  codesFrom(start: ts.Node): Pick<ServedRow, 'codes' | 'itemCodes'> {
    const { codes, items } = this.follow([start]);
    return { codes, itemCodes: this.follow(items).codes };
  }

  private follow(starts: readonly ts.Node[]): { codes: Makers; items: ts.Node[] } {
    const codes = new Map<string, Set<string>>();
    const items: ts.Node[] = [];
    const seen = new Set<ts.Node>(starts);
    for (const node of seen) {
      const found = this.look(node);
      for (const code of found.codes) {
        codes.set(code, (codes.get(code) ?? new Set()).add(nameOf(node)));
      }
      for (const reached of found.next) seen.add(reached);
      items.push(...found.items);
    }
    return { codes, items };
  }

  private noteHeir(heir: ts.ClassDeclaration): void {
    for (const { types } of heir.heritageClauses ?? []) {
      for (const { expression } of types) {
        const symbol = this.symbolOf(expression);
        if (symbol) this.heirs.set(symbol, [...(this.heirs.get(symbol) ?? []), heir]);
      }
    }
  }

  private look(node: ts.Node): Seen {
    const known = this.known.get(node);
    if (known) return known;
    const found: Seen = { next: [], codes: [], items: [] };
    this.known.set(node, found);
    const visit = (child: ts.Node): void => {
      if (ts.isTypeNode(child) || ts.isDecorator(child)) return;
      if (this.answersItem(child)) return void found.items.push(child.initializer);
      if (ts.isIdentifier(child)) found.next.push(...this.bodiesOf(child));
      if (ts.isNewExpression(child)) found.codes.push(...this.codeOf(child.expression));
      ts.forEachChild(child, visit);
    };
    ts.forEachChild(node, visit);
    return found;
  }

  private answersItem(node: ts.Node): node is ts.PropertyAssignment {
    if (!ts.isPropertyAssignment(node) || node.name.getText() !== ITEM_QUESTIONS.member)
      return false;
    const type = this.checker.getContextualType(node.parent);
    return type?.getSymbol()?.name === ITEM_QUESTIONS.type;
  }

  /** Returns the functions to which a name refers; for a method of an interface, those of all implementations. */
  private bodiesOf(name: ts.Identifier): ts.Node[] {
    const symbol = this.symbolOf(name);
    return (symbol?.declarations ?? []).flatMap((declaration) => {
      if (!isOurs(declaration.getSourceFile())) return [];
      if (ts.isMethodSignature(declaration) || isAbstract(declaration)) {
        return this.fulfilled(declaration);
      }
      if (ts.isVariableDeclaration(declaration)) {
        const { initializer } = declaration;
        const isTopLevel = ts.isSourceFile(declaration.parent.parent.parent);
        return initializer && isTopLevel && isFunction(initializer) ? [initializer] : [];
      }
      if (ts.isClassDeclaration(declaration))
        return declaration.members.filter(ts.isConstructorDeclaration);
      return isFunction(declaration) ? [declaration] : [];
    });
  }

  private fulfilled(declaration: ts.Declaration): ts.Node[] {
    const owner = this.checker.getSymbolAtLocation(
      (declaration.parent as ts.InterfaceDeclaration).name,
    );
    const name = (declaration as ts.MethodSignature).name.getText();
    const heirs = (owner && this.heirs.get(owner)) ?? [];
    return heirs.flatMap(({ members }) =>
      members.filter((member) => member.name?.getText() === name && isFunction(member)),
    );
  }

  private codeOf(expression: ts.Expression): string[] {
    const declarations = this.symbolOf(expression)?.declarations ?? [];
    return declarations.filter(ts.isClassDeclaration).flatMap((declaration) => {
      if (!declaration.getSourceFile().fileName.endsWith('.errors.ts')) return [];
      const [, code] = /\bcode: '(\w+)'/.exec(declaration.getText()) ?? [];
      return code === undefined ? [] : [code];
    });
  }

  private symbolOf(node: ts.Node): ts.Symbol | undefined {
    const symbol = this.checker.getSymbolAtLocation(node);
    const isAlias = symbol && symbol.flags & ts.SymbolFlags.Alias;
    return isAlias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }
}

const isOurs = ({ fileName }: ts.SourceFile) =>
  !fileName.includes('/node_modules/') && !fileName.endsWith('.d.ts');

const isFunction = (node: ts.Node) =>
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isGetAccessor(node) ||
  ts.isArrowFunction(node) ||
  ts.isFunctionExpression(node);

const isAbstract = (node: ts.Declaration) =>
  ts.isMethodDeclaration(node) && node.body === undefined;

/** Returns the qualified name of a function, such as `AccountsService.lock`. */
function nameOf(node: ts.Node): string {
  const own = (node as ts.FunctionDeclaration).name?.getText() ?? '';
  return ts.isClassDeclaration(node.parent) ? `${node.parent.name?.text}.${own}` : own;
}

const OWNERS = ['account', 'billing', 'entitlement', 'lookup'] as const;

/** Problems that the code seems to throw but no caller receives, by their creators and, for some, by row. */
const NEVER_ANSWERED: Readonly<Record<string, string>> = {
  'AccountsService.lock not_found': 'whoever has a session has an account',
  'AccountsService.get not_found': 'whoever has a session has an account',
  'LEAKED_KEYS AccountsService.lockActive account_deleted':
    'the deletion of an account has revoked its keys, so nothing is left to revoke',
  'ORDER_CREATE OrdersService.find not_found': 'it reads back the order that it has just stored',
  'ORDER_CREATE PaymentProcessors.get not_found':
    'an unknown processor is rejected as an invalid request',
};

const CONSTANTS = new Map<string, unknown>(Object.entries(contracts));
const operationOf = (name: string) => CONSTANTS.get(name) as Operation;

/** The function that turns any other error of an item into a problem. */
const MAKER_OF_ITEMS = 'answerOrProblem';

function thrownBy({ row, codes }: Pick<ServedRow, 'row' | 'codes'>): [string, string][] {
  const { takesIdempotencyKey } = operationOf(row);
  return [...codes].flatMap(([code, makers]) => {
    const answered = [...makers].filter(
      (maker) =>
        !(`${maker} ${code}` in NEVER_ANSWERED) &&
        !(`${row} ${maker} ${code}` in NEVER_ANSWERED) &&
        // Without a key, a request cannot be a repeat.
        (takesIdempotencyKey || maker !== 'IdempotencyService.once'),
    );
    return answered.map((maker): [string, string] => [code, maker]);
  });
}

describe('the problems of a row', () => {
  let served: ServedRow[];

  beforeAll(() => {
    served = servedRows(OWNERS.map((app) => `apps/${app}/src/${app}.module.ts`));
  });

  it('belong to rows that are each served once, by the app that owns them', () => {
    const owned = OPERATIONS.filter(({ owner }) => OWNERS.some((app) => app === owner.service));
    const expected = owned.map(({ name, owner }) => `${name} apps/${owner.service}`);
    const found = served.map(
      ({ row, path }) => `${operationOf(row).name} ${path.split('/', 2).join('/')}`,
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it('are all problems that its code can throw, and no others', () => {
    const faults = served.flatMap((one) => {
      const named = new Set<string>(problemsOf(operationOf(one.row)));
      const unnamed = thrownBy(one).filter(([code]) => !named.has(code));
      const idle = operationOf(one.row).problems.filter((code) => !one.codes.has(code));
      return [
        ...unnamed.map(([code, maker]) => `${one.row} does not name ${code} of ${maker}`),
        ...idle.map((code) => `${one.row} names ${code}, which it cannot answer`),
      ];
    });
    expect(faults).toEqual([]);
  });

  it('are listed in its item class if they can reject one item of several, and no others are', () => {
    const several = served.filter(({ itemCodes }) => itemCodes.size > 0);
    const [named, thrown] = [new Map<string, string[]>(), new Map<string, string[]>()];
    for (const { row, codes, itemCodes } of several) {
      const own = [...codes].filter(([, makers]) => makers.has(MAKER_OF_ITEMS));
      thrown.set(row, [...itemCodes.keys(), ...own.map(([code]) => code)].toSorted());
      named.set(row, itemProblemsOf(operationOf(row)).toSorted());
    }
    expect(thrown).toEqual(named);
    const streamed = OPERATIONS.filter((row) => itemProblemsOf(row).length > 0);
    expect(several.map(({ row }) => operationOf(row).name).toSorted()).toEqual(
      streamed.map(({ name }) => name).toSorted(),
    );
  });

  it('still include every problem that is listed as an exception to these rules', () => {
    const made = served.flatMap(({ row, codes }) =>
      [...codes].flatMap(([code, makers]) =>
        [...makers].flatMap((maker) => [`${maker} ${code}`, `${row} ${maker} ${code}`]),
      ),
    );
    expect(made).toEqual(expect.arrayContaining(Object.keys(NEVER_ANSWERED)));
  });
});
