import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { Logger, newId } from '#libs/platform';
import { LeaseJournal, type LeaseJournalOptions } from './lease-journal.js';
import { Lease } from './lease.js';

const folder = mkdtempSync(join(tmpdir(), 'journal-'));
const logger = new Logger('gateway', { write: () => {} });
const accountId = newId();

afterAll(() => rmSync(folder, { recursive: true }));

function openJournal(path: string, options: Partial<LeaseJournalOptions> = {}) {
  const journal = new LeaseJournal({
    path,
    openLeases: () => [],
    onLost: () => {},
    logger,
    ...options,
  });
  return { journal, left: journal.open() };
}

describe('a journal', () => {
  it('belongs to the process that has opened it last, also after it was rewritten', async () => {
    const path = join(folder, newId(), 'journal');
    const { journal: first } = openJournal(path, { writerId: newId(), compactAtBytes: 1 });
    await new Promise(setImmediate);
    expect(first.isOwn).toBe(true);
    const { journal: second } = openJournal(path, { writerId: newId() });
    await new Promise(setImmediate);
    expect([first.isOwn, second.isOwn]).toEqual([false, true]);
    rmSync(path);
    expect(second.isOwn).toBe(false);
  });

  it('a charge is in the file after one event-loop turn, and what a killed process left behind stays until it is settled', async () => {
    const path = join(folder, newId(), 'journal');
    const writerId = newId();
    const lease = new Lease(newId(), accountId, 3);
    const hold = { number: 4, id: 'order-1', accountId, charged: 2 };
    const planned = jest.spyOn(globalThis, 'setImmediate');
    const first = openJournal(path, { writerId }).journal;
    first.opened(lease);
    lease.charge(5, 'whois.live');
    first.used(lease, 'whois.live', 'row\n');
    first.used(lease);
    first.holdOpened(hold, 'row of it\n');
    first.holdPart(hold, 2);
    first.holdUsed(hold);
    first.rowsWritten(0);
    expect(readFileSync(path, 'utf8')).toBe('');
    // All lines of a turn are written at once.
    expect(planned).toHaveBeenCalledTimes(1);
    planned.mockRestore();
    await new Promise(setImmediate);
    expect(readFileSync(path, 'utf8')).toBe(
      `@ ${writerId}\n+ 3 ${lease.id} ${accountId}\n= 3 5 whois.live:5\trow\n= 3 5\n` +
        `* h4 order-1 ${accountId}\trow of it\n# h4 2\n= h4 2\n`,
    );
    const left = {
      uses: [{ leaseId: lease.id, accountId, consumed: 5, operations: { 'whois.live': 5 } }],
      holds: [{ holdId: 'order-1', accountId, charged: 2, parts: [2], row: 'row of it' }],
      rows: ['row'],
      writerIds: [writerId],
    };
    // The first process was killed. The second one stopped before settling what the first had left, and left more.
    const second = openJournal(path);
    expect(second.left).toEqual(left);
    const another = new Lease(newId(), accountId, 3);
    second.journal.opened(another);
    second.journal.close();
    expect(second.journal.isWritable).toBe(false);
    const uses = [...left.uses, { leaseId: another.id, accountId, consumed: 0 }];
    const third = openJournal(path);
    expect(third.left).toEqual({ ...left, uses });
    third.journal.forgetEarlier();
    expect(existsSync(`${path}.earlier`)).toBe(false);
    third.journal.close();
    const fourth = openJournal(path);
    expect(fourth.left).toEqual({ uses: [], holds: [], rows: [], writerIds: [] });
    expect(existsSync(`${path}.earlier`)).toBe(false);
    fourth.journal.close();
  });

  it.each(['lease', 'hold', 'row'])('even a single %s stays until it is settled', (kind) => {
    const path = join(folder, newId());
    const { journal } = openJournal(path);
    const hold = { number: 1, id: 'order-1', accountId, charged: 0 };
    if (kind === 'lease') journal.opened(new Lease(newId(), accountId, 1));
    else if (kind === 'hold') journal.holdOpened(hold, 'row\n');
    else journal.used(new Lease(newId(), accountId, 1), undefined, 'row\n');
    journal.close();
    for (let start = 0; start < 2; start++) {
      const next = openJournal(path);
      expect(Object.values(next.left).flat()).toHaveLength(1);
      next.journal.close();
    }
  });

  it('a journal leaves no file open, whether it is rewritten, closed or lost', () => {
    const nextFile = () => {
      const file = openSync(folder, 'r');
      closeSync(file);
      return file;
    };
    const before = nextFile();
    for (const isLost of [false, true]) {
      const place = join(folder, newId());
      const { journal } = openJournal(join(place, 'journal'), { compactAtBytes: 0 });
      journal.closed(new Lease(newId(), accountId, 1));
      if (isLost) rmSync(place, { recursive: true });
      journal.close();
      expect(nextFile()).toBe(before);
    }
  });

  it('a rewritten journal contains only open and unsettled items', async () => {
    const path = join(folder, newId());
    const lease = new Lease(newId(), accountId, 8);
    lease.charge(2, 'dns.live');
    const holds = [{ holdId: 'order-1', accountId, charged: 1, parts: [1], number: 9 }];
    const writerId = newId();
    const { journal } = openJournal(path, {
      openLeases: () => [lease],
      openHolds: () => holds,
      unwrittenRows: () => ['row'],
      writerId,
      compactAtBytes: 0,
    });
    journal.closed(new Lease(newId(), accountId, 7));
    await new Promise(setImmediate);
    expect(journal.size).toBe(0);
    journal.rowsWritten(1);
    journal.holdClosed({ ...holds[0], id: 'order-1' });
    const text =
      `@ ${writerId}\n+ 8 ${lease.id} ${accountId}\n= 8 2 dns.live:2\n` +
      `* h9 order-1 ${accountId}\n# h9 1\n= h9 1\n= - 0\trow\n`;
    expect(readFileSync(path, 'utf8')).toBe(text);
    journal.close();
    // Closing the journal writes its pending lines, which in this test causes a rewrite at once.
    expect(readFileSync(path, 'utf8')).toBe(text);
    writeFileSync(path, `${text}~ 1\n- h9\n- 8\n`);
    expect(openJournal(path).left).toEqual({
      uses: [],
      holds: [],
      rows: [],
      writerIds: [writerId],
    });
  });

  it('by default, a journal is rewritten after it has grown by 64 MiB', async () => {
    const path = join(folder, newId());
    const { journal } = openJournal(path);
    const lease = new Lease(newId(), accountId, 0);
    const write = (rows: number) => {
      for (let i = 0; i < rows; i++) journal.used(lease, undefined, `${'x'.repeat(2 ** 20 - 8)}\n`);
      return new Promise(setImmediate);
    };
    await write(63);
    expect([journal.size > 62 * 2 ** 20, statSync(path).size]).toEqual([true, journal.size]);
    await write(2);
    expect([journal.size, statSync(path).size]).toEqual([0, 0]);
    journal.close();
  });
});

describe('a journal that cannot be written', () => {
  it('an unwritable journal reports at once, and only once, that lines may be lost, so that the charges are settled', async () => {
    const gone = join(folder, newId());
    let losses = 0;
    const { journal } = openJournal(join(gone, 'journal'), {
      onLost: () => losses++,
      compactAtBytes: 0,
    });
    rmSync(gone, { recursive: true });
    // Later lines are dropped without a further report, which would delay the next attempt to reopen the journal.
    for (let turn = 0; turn < 2; turn++) {
      journal.used(new Lease(newId(), accountId, 0));
      await new Promise(setImmediate);
      expect([losses, journal.isWritable]).toEqual([1, false]);
    }
  });

  it('lines of the turn in which the journal is reopened count once', async () => {
    const path = join(folder, newId());
    const hold = { number: 9, id: 'order-1', accountId, charged: 2 };
    const use = { holdId: 'order-1', accountId, charged: 2, parts: [2], number: 9 };
    const options = { openHolds: () => [use], unwrittenRows: () => ['row'] };
    const { journal } = openJournal(path, options);
    journal.close();
    journal.holdPart(hold, 2);
    journal.rowsWritten(1);
    expect(journal.reopenIfDue()).toBe(true);
    await new Promise(setImmediate);
    journal.close();
    const { holds, rows } = openJournal(path).left;
    expect([holds[0].parts, rows]).toEqual([[2], ['row']]);
  });

  it('an unwritable journal is reopened at most once a second', () => {
    const path = join(folder, 'gone', newId());
    let tries = 0;
    const { journal } = openJournal(path, {
      openLeases: () => {
        tries++;
        return [];
      },
    });
    journal.close();
    rmSync(join(folder, 'gone'), { recursive: true });
    const startedMs = performance.now();
    for (let i = 0; i < 1_000; i++) expect(journal.reopenIfDue()).toBe(false);
    const seconds = (performance.now() - startedMs) / 1_000;
    expect(tries).toBeGreaterThan(0);
    expect(tries).toBeLessThanOrEqual(1 + seconds);
  });
});
