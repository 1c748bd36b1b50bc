import { beforeAll, describe, expect, it } from '@jest/globals';
import * as contracts from '#libs/contracts';
import { OPERATIONS, type Operation, itemProblemsOf, problemsOf } from '#libs/contracts';
import { type ServedRow, servedRows } from './thrown-problems.js';

const OWNERS = ['account', 'billing', 'entitlement', 'lookup'] as const;

/** Problems that the code seems to throw and no caller gets, by the function that makes them. */
const NEVER_ANSWERED: Readonly<Record<string, string>> = {
  'AccountsService.lock not_found': 'whoever has a session has an account',
  'AccountsService.get not_found': 'whoever has a session has an account',
  'ORDER_CREATE OrdersService.find not_found': 'it reads back the order that it has just stored',
  'ORDER_CREATE PaymentProcessors.get not_found': 'another processor is an invalid request',
};

const CONSTANTS = new Map<string, unknown>(Object.entries(contracts));
const rowOf = (name: string) => CONSTANTS.get(name) as Operation;

/** Makes a refusal of whatever an item throws that is none. */
const MAKER_OF_ITEMS = 'answerOrProblem';

/** Code and maker of what may reach the caller. */
function thrownBy({ row, codes }: Pick<ServedRow, 'row' | 'codes'>): [string, string][] {
  const { takesIdempotencyKey } = rowOf(row);
  return [...codes].flatMap(([code, makers]) => {
    const answered = [...makers].filter(
      (maker) =>
        !(`${maker} ${code}` in NEVER_ANSWERED) &&
        !(`${row} ${maker} ${code}` in NEVER_ANSWERED) &&
        // Without a key there is nothing to repeat.
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

  it('each row is served once, by the app that owns it', () => {
    const owned = OPERATIONS.filter(({ owner }) => OWNERS.some((app) => app === owner.service));
    const expected = owned.map(({ name, owner }) => `${name} apps/${owner.service}`);
    const found = served.map(
      ({ row, path }) => `${rowOf(row).name} ${path.split('/', 2).join('/')}`,
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it('every problem that its code can throw is named, and none that it cannot', () => {
    const faults = served.flatMap((one) => {
      const named = new Set<string>(problemsOf(rowOf(one.row)));
      const unnamed = thrownBy(one).filter(([code]) => !named.has(code));
      const idle = rowOf(one.row).problems.filter((code) => !one.codes.has(code));
      return [
        ...unnamed.map(([code, maker]) => `${one.row} does not name ${code} of ${maker}`),
        ...idle.map((code) => `${one.row} cannot answer ${code}`),
      ];
    });
    expect(faults).toEqual([]);
  });

  it('every problem that can refuse one item of several is named by its class, and none that cannot', () => {
    const several = served.filter(({ itemCodes }) => itemCodes.size > 0);
    const [named, thrown] = [new Map<string, string[]>(), new Map<string, string[]>()];
    for (const { row, codes, itemCodes } of several) {
      const own = [...codes].filter(([, makers]) => makers.has(MAKER_OF_ITEMS));
      thrown.set(row, [...itemCodes.keys(), ...own.map(([code]) => code)].toSorted());
      named.set(row, itemProblemsOf(rowOf(row)).toSorted());
    }
    expect(thrown).toEqual(named);
    const streamed = OPERATIONS.filter((row) => itemProblemsOf(row).length > 0);
    expect(several.map(({ row }) => rowOf(row).name).toSorted()).toEqual(
      streamed.map(({ name }) => name).toSorted(),
    );
  });

  it('no exception is left over', () => {
    const made = served.flatMap(({ row, codes }) =>
      [...codes].flatMap(([code, makers]) =>
        [...makers].flatMap((maker) => [`${maker} ${code}`, `${row} ${maker} ${code}`]),
      ),
    );
    expect(made).toEqual(expect.arrayContaining(Object.keys(NEVER_ANSWERED)));
  });
});
