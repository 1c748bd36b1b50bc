import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { CounterId } from './counter-id.js';
import { DailyCredits } from './daily-credits.js';
import { repeatsContract } from './repeats.contract.js';
import { requestWindowContract } from './request-window.contract.js';
import { SharedRepeats } from './shared-repeats.js';
import { SharedRequestWindow } from './shared-request-window.js';
import { SLOT_WORDS } from './slot-locks.js';

const SMALL = { slots: 4, rowsPerSlot: 64 };
const FEW = { slots: 4, entriesMax: 1 << 14 };
const NOW_MS = 1_000_000;

requestWindowContract(
  'SharedRequestWindow',
  (nowMs) => new SharedRequestWindow(SharedRequestWindow.memory(SMALL), nowMs, SMALL),
);
repeatsContract(
  'SharedRepeats',
  (nowMs) => new SharedRepeats(SharedRepeats.memory(FEW), nowMs, FEW),
);

/** Runs `body` in each of `count` threads, all beginning at once; answers what each of them returns. */
async function inThreads<T>(count: number, body: string, data: object): Promise<T[]> {
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { gate, counters, data } = workerData;
    import(counters).then((counters) => {
      Atomics.add(gate, 1, 1);
      Atomics.notify(gate, 1);
      Atomics.wait(gate, 0, 0);
      parentPort.postMessage(((counters, data) => { ${body} })(counters, data));
    });`;
  const counters = new URL('./index.js', import.meta.url).href;
  const workers = Array.from(
    { length: count },
    () => new Worker(source, { eval: true, workerData: { gate, counters, data } }),
  );
  const answers = workers.map(async (worker) =>
    Promise.race([
      once(worker, 'message').then(([answer]) => answer as T),
      once(worker, 'exit').then(() => undefined as T),
    ]),
  );
  while (Atomics.load(gate, 1) < count) {
    const ready = Atomics.load(gate, 1);
    if (ready < count) await Atomics.waitAsync(gate, 1, ready, 1_000).value;
  }
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  const all = await Promise.all(answers);
  await Promise.all(workers.map(async (worker) => worker.terminate()));
  return all;
}

describe('counters that threads share', () => {
  it.each([2, 4])(
    'S99: %i threads that ask for one account at once get exactly its limit',
    async (threads) => {
      const memory = SharedRequestWindow.memory();
      const id = newId();
      const admitted = await inThreads<number>(
        threads,
        `const window = new counters.SharedRequestWindow(data.memory, () => ${NOW_MS});
         const id = new counters.CounterId(data.id);
         let admitted = 0;
         for (let i = 0; i < 60000; i++) if (window.take(id, 0, 50000).allowed) admitted++;
         return admitted;`,
        { memory, id },
      );
      expect(admitted.reduce((sum, count) => sum + count)).toBe(50_000);
    },
  );

  it('threads that add and lose accounts in one slot mix nobody up', async () => {
    const memory = SharedRequestWindow.memory({ slots: 1, rowsPerSlot: 64 });
    const steady = newId();
    const admitted = await inThreads<number>(
      2,
      `let now = ${NOW_MS};
       const window = new counters.SharedRequestWindow(data.memory, () => now, { slots: 1, rowsPerSlot: 64 });
       const steady = new counters.CounterId(data.steady);
       const passing = crypto.randomUUID().slice(0, 24);
       let admitted = 0;
       for (let i = 0; i < 20000; i++) {
         window.take(new counters.CounterId(passing + String(i % 60).padStart(12, '0')), 0, 1);
         if (window.take(steady, 0, 5000).allowed) admitted++;
       }
       return admitted;`,
      { memory, steady },
    );
    expect(admitted.reduce((sum, count) => sum + count)).toBe(5_000);
    const window = new SharedRequestWindow(memory, () => NOW_MS, { slots: 1, rowsPerSlot: 64 });
    expect(window.size).toBe(64);
  });

  it('a thread that ends while it holds a lock does not hang the others', async () => {
    const memory = SharedRequestWindow.memory(SMALL);
    const window = new SharedRequestWindow(memory, () => NOW_MS, SMALL);
    const id = new CounterId(newId());
    window.take(id, 0, 3);
    await inThreads(
      1,
      `const window = new counters.SharedRequestWindow(
         data.memory, () => process.exit(), { slots: 4, rowsPerSlot: 64 });
       window.take(new counters.CounterId(data.id), 0, 3);`,
      { memory, id: id.text },
    );
    expect(isLocked(memory)).toBe(true);
    expect(window.take(id, 0, 3)).toMatchObject({ allowed: true, remaining: 1 });
    expect(isLocked(memory)).toBe(false);
    expect(window.take(id, 0, 3)).toMatchObject({ allowed: true, remaining: 0 });
    expect(window.take(id, 0, 3).allowed).toBe(false);
  });

  it('what a thread left half written is counted from the cells again', () => {
    const shape = { slots: 1, rowsPerSlot: 64 };
    const memory = SharedRequestWindow.memory(shape);
    let now = NOW_MS;
    const window = new SharedRequestWindow(memory, () => now, shape);
    const ids = Array.from({ length: 40 }, () => new CounterId(newId()));
    for (const [place, id] of ids.entries()) {
      for (let i = 0; i <= place; i++) {
        now += 7;
        window.take(id, 0, 100);
      }
    }
    const words = new Int32Array(memory);
    const [damaged, index, indexSize] = [SLOT_WORDS + 2, 2 * SLOT_WORDS, 128];
    words.fill(0, index, index + indexSize);
    for (let row = 0; row < ids.length; row++) words[index + indexSize + row * 8 + 7] = 99;
    words[damaged] = 1;
    for (const [place, id] of ids.entries()) {
      expect(window.take(id, 0, 100).remaining).toBe(100 - place - 2);
    }
    expect(window.size).toBe(ids.length);
  });

  it('a question charged in one thread is a repeat in every other', async () => {
    const memory = SharedRepeats.memory();
    const id = newId();
    const body = (call: string) =>
      `const repeats = new counters.SharedRepeats(data.memory);
       const id = new counters.CounterId(data.id);
       let known = 0;
       for (let i = 0; i < 1000; i++) if (repeats.${call}(id, 'whois name' + i + '.example')) known++;
       return known;`;
    await inThreads(2, body('remember'), { memory, id });
    expect(await inThreads(2, body('isRepeat'), { memory, id })).toEqual([1_000, 1_000]);
    const other = newId();
    expect(await inThreads(1, body('isRepeat'), { memory, id: other })).toEqual([0]);
  });

  it('S14: threads together spend exactly the cap of a day', async () => {
    const memory = DailyCredits.memory();
    const id = newId();
    const spent = await inThreads<number>(
      4,
      `const credits = new counters.DailyCredits(data.memory);
       const id = new counters.CounterId(data.id);
       let spent = 0;
       for (let i = 0; i < 12000; i++) {
         if (credits.add(id, 20000, { cost: 3, cap: 30001 }) !== 'added') continue;
         if (i % 2 === 0) spent += 3;
         else credits.takeOff(id, 20000, 3);
       }
       return spent;`,
      { memory, id },
    );
    expect(spent.reduce((sum, credits) => sum + credits)).toBe(30_000);
    const credits = new DailyCredits(memory);
    expect(credits.add(new CounterId(id), 20_000, { cost: 1, cap: 30_001 })).toBe('added');
    expect(credits.add(new CounterId(id), 20_000, { cost: 1, cap: 30_001 })).toBe('over');
  });

  it('S14: no count is forgotten before its day is over, however many keys there are', () => {
    const credits = new DailyCredits(DailyCredits.memory({ slotEntries: 64 }));
    // So many that every one of the 64 slots gets more than it takes, however they fall.
    const keys = 20_000;
    const ids = Array.from({ length: keys }, () => new CounterId(newId()));
    const first = ids.map((id) => credits.add(id, 20_000, { cost: 2, cap: 2 }));
    expect(first.filter((addition) => addition === 'added')).toHaveLength(64 * 56);
    expect(first.filter((addition) => addition === 'full')).toHaveLength(keys - 64 * 56);
    const again = ids.map((id) => credits.add(id, 20_000, { cost: 2, cap: 2 }));
    expect(again).toEqual(first.map((addition) => (addition === 'added' ? 'over' : 'full')));
    const full = ids[first.indexOf('full')]!;
    expect(credits.begin(full, 20_000, 1)).toBe(false);
    expect(credits.begin(full, 20_000, 0)).toBe(true);
    expect(credits.add(full, 20_001, { cost: 2, cap: 2 })).toBe('added');
  });

  it('S14: a clock that steps back over midnight gives no cap a second time', () => {
    const credits = new DailyCredits(DailyCredits.memory({ slotEntries: 64 }));
    const id = new CounterId(newId());
    expect(credits.add(id, 20_001, { cost: 2, cap: 2 })).toBe('added');
    expect(credits.add(id, 20_000, { cost: 2, cap: 2 })).toBe('over');
    credits.takeOff(id, 20_000, 2);
    expect(credits.add(id, 20_001, { cost: 2, cap: 2 })).toBe('over');
    expect(credits.add(id, 19_000, { cost: 2, cap: 2 })).toBe('added');
  });
});

function isLocked(memory: SharedArrayBuffer): boolean {
  const words = new Int32Array(memory);
  return Array.from({ length: SMALL.slots }, (_, slot) => words[(slot + 1) * SLOT_WORDS]).some(
    (lock) => lock !== 0,
  );
}
