import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { type Database, withClient } from '#libs/database';
import { Logger } from '#libs/platform';
import {
  type Later,
  type NewWork,
  type Work,
  WorkQueue,
  WorkRunner,
  type WorkRunnerOptions,
  workFunctions,
  workTable,
} from '#libs/work';
import { TestDatabase } from '#test/environment';

export type Doing = (work: Work<object>) => Promise<Later | void>;
type Options = Partial<WorkRunnerOptions<object>> & { queue: WorkQueue<object> };

export const logLines: string[] = [];
const logger = new Logger('test', { write: (line) => void logLines.push(line) }, 'warn');
let test: TestDatabase;
export let database: Database;
export let queue: WorkQueue<object>;
/** The names of the work that `note` has done in this test. */
export let done: string[];
const endings: (() => Promise<void>)[] = [];

export function useQueue(): void {
  beforeAll(async () => {
    test = await TestDatabase.create();
    await withClient(test.url('gateway_owner'), (client) =>
      client.query(workTable + workFunctions),
    );
    database = await test.service('gateway');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    for (const table of ['work', 'work_turn', 'work_credit']) {
      await database.query(`delete from ${table}`);
    }
    queue = new WorkQueue({ name: 'calls', quantum: 10 });
    done = [];
    logLines.length = 0;
  });
  afterEach(async () => {
    await Promise.all(endings.splice(0).map((end) => end()));
  });
}

class Runner extends WorkRunner<object> {
  constructor(
    options: Options,
    private readonly doing: Doing,
  ) {
    super({ database, logger, ...options });
  }

  protected override handle(work: Work<object>): Promise<Later | void> {
    return this.doing(work);
  }
}

export const note: Doing = async ({ name }) => void done.push(name);
export const runner = (doing: Doing = note, options: Partial<Options> = {}) =>
  new Runner({ queue, ...options }, doing);
export const add = (name: string, more: Partial<NewWork<object>> = {}) =>
  database.transaction((transaction) => queue.add(transaction, { name, payload: {}, ...more }));
export const addMany = (accountId: string, prefix: string, count: number, more = {}) =>
  database.transaction((transaction) =>
    queue.addAll(
      transaction,
      Array.from({ length: count }, (_, n) => ({
        name: `${prefix} ${n}`,
        payload: {},
        accountId,
        ...more,
      })),
    ),
  );
/** Makes time pass for all work items, by moving their times into the past. */
export const pass = (seconds: number) =>
  database.query(
    `update work set until = until - $1 * interval '1 s' where state in ('waiting', 'claimed')`,
    [seconds],
  );
export const rows = () =>
  database.query<{ name: string; state: string; tries: number; reason: string | null }>(
    'select name, state, tries, reason from work order by position',
  );
/** Brings the planner's statistics about the work up to date. */
export const analyze = () =>
  withClient(test.url('gateway_owner'), (client) => client.query('analyze work'));
/** Claims one work item as a process that is then killed. */
export const claimAndDie = async (options: Partial<Options> = {}): Promise<void> => {
  const { begun, end, doing } = held();
  const running = runner(doing, { ...options, concurrency: 1 }).runOnce();
  endings.push(() => {
    end.resolve();
    return running;
  });
  await begun;
};
/** Returns `doing`, a handler that runs until the test resolves `end`; `begun` resolves with the handler's work. */
export const held = () => {
  const begun = Promise.withResolvers<Work<object>>();
  const end = Promise.withResolvers<Later | void>();
  const doing: Doing = (work) => {
    begun.resolve(work);
    return end.promise;
  };
  return { begun: begun.promise, end, doing };
};
