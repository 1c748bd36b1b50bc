import { describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { LogLines, readLine } from '../request-log/log-line.js';
import {
  journalOf,
  readHolds,
  readLeases,
  readRows,
  readWriters,
  rowOfBroken,
} from './journal-lines.js';

const [lease, other, account, writer] = Array.from({ length: 4 }, newId);

function rowOf(credits: number): string {
  const line = new LogLines().of({
    atMs: 1_772_442_000_000,
    requestId: 'req_1',
    accountId: account,
    keyId: newId(),
    operation: 'whois.live',
    version: 2,
    subject: 'a.example',
    status: 200,
    outcome: 'delivered',
    credits,
    durationMs: 12,
  });
  return line.trimEnd();
}

describe('a journal', () => {
  it('a rewritten journal means the same as the original', () => {
    const uses = [
      { leaseId: lease, accountId: account, consumed: 0 },
      {
        leaseId: other,
        accountId: account,
        consumed: 7,
        operations: { 'whois.live': 4, 'dns.live': 3 },
      },
    ];
    const hold = { accountId: account, charged: 5, parts: [2, 3] };
    const holds = [
      { ...hold, holdId: 'order-1', row: rowOf(0) },
      { ...hold, holdId: 'b', row: undefined },
    ];
    const rows = [rowOf(1), rowOf(2)];
    const text = journalOf({ uses, holds, rows, writerIds: [writer] });
    expect(readLeases(text)).toEqual(uses);
    expect(readHolds(text)).toEqual(holds);
    expect(readRows(text)).toEqual(rows);
    expect(readWriters(text)).toEqual([writer]);
    const numbered = { ...uses[1], number: 12 };
    const again = journalOf({
      uses: [numbered],
      holds: [{ ...holds[1], number: 34 }],
      rows: [],
      writerIds: [],
    });
    expect(again).toContain(`+ 12 ${other} ${account}\n= 12 7 whois.live:4\n= 12 7 dns.live:3\n`);
    expect(again).toContain('= h34 5\n');
  });

  it('the highest total of a lease counts until the lease is closed', () => {
    const opened = `+ 1 ${lease} ${account}\n`;
    const used = '= 1 5 whois.live:5\n= 1 3 whois.live:3\n= 1 6 dns.live:1\n';
    const use = {
      leaseId: lease,
      accountId: account,
      consumed: 6,
      operations: { 'whois.live': 5, 'dns.live': 1 },
    };
    expect(readLeases(opened + used)).toEqual([use]);
    expect(readLeases(`${opened}${used}- 1\n`)).toEqual([]);
    expect(readLeases(`${opened}- 2\n`)).toHaveLength(1);
    expect(readLeases(`${opened}- 1\n+ 1 ${other} ${account}\n`)).toEqual([
      { leaseId: other, accountId: account, consumed: 0 },
    ]);
  });

  it('damaged and truncated lines are skipped', () => {
    const opened = `+ 1 ${lease} ${account}\n`;
    const damaged = [
      `+ 2 ${other} ${account} more\n`,
      `+ 3 no-id ${account}\n`,
      `+ 4 ${other} no-id\n`,
      '= 9 8\n',
      '= 1 many\n',
      '= 1 5 Not-A-Name:1\n',
      '\n',
      '= 1 9',
    ];
    expect(readLeases(opened + damaged.join(''))).toEqual([
      { leaseId: lease, accountId: account, consumed: 5 },
    ]);
    expect(readWriters(`@ no-id\n@ ${writer}\n@ ${other}`)).toEqual([writer]);
    expect(readRows(`= 1 2\tone\n= 1 3\n= 1 4\ttwo`)).toEqual(['one']);
  });

  it('rows no longer count once the request log has written them', () => {
    const rows = '= 1 1\tone\tand\n= - 0\ttwo\n= 1 3\tthree\n';
    expect(readRows(rows)).toEqual(['one\tand', 'two', 'three']);
    expect(readRows(`${rows}~ 1\n~ 1\n`)).toEqual(['three']);
    expect(readRows(`${rows}~ 10x\n~ many\n`)).toHaveLength(3);
    expect(readRows(`${rows}~ 12\n`)).toEqual([]);
  });

  it('the lines of a hold contain its parts, its total and, while the request is running, the row to write if it is interrupted', () => {
    const opened = `* h1 order-1 ${account}\trow\tof it\n`;
    const use = { holdId: 'order-1', accountId: account, charged: 0, parts: [], row: 'row\tof it' };
    expect(readHolds(opened)).toEqual([use]);
    const sent = '# h1 2\n= h1 2\n# h1 3\n= h1 5\n= h1 4\n';
    expect(readHolds(opened + sent)).toEqual([{ ...use, charged: 5, parts: [2, 3] }]);
    const [over] = readHolds(`${opened}${sent}= h1 5\tits own row\n`);
    expect(over.row).toBeUndefined();
    expect(readHolds(`${opened}${sent}- h1\n`)).toEqual([]);
    expect(readHolds(`* h1 order-1 ${account}\n`)).toEqual([{ ...use, row: undefined }]);
  });

  it('damaged lines of holds are skipped', () => {
    const opened = `* h1 order-1 ${account}\trow\n`;
    const damaged = [
      `* 2 order-2 ${account}\n`,
      `* h3\n`,
      `* h4 order-4 no-id\n`,
      `* h5 ${'x'.repeat(201)} ${account}\n`,
      '= h9 8\n',
      '# h1 many\n',
      '# h1\n',
      '? h1 7\n',
      '*\n',
      '= h1 9',
    ];
    expect(readHolds(opened + damaged.join(''))).toEqual([
      { holdId: 'order-1', accountId: account, charged: 0, parts: [], row: 'row' },
    ]);
  });
});

describe('the row of a request whose gateway was killed', () => {
  const use = { holdId: 'a', accountId: account, parts: [] };

  it('the row states the credits for the part that was sent', () => {
    const [row] = rowOfBroken({ ...use, charged: 5, row: rowOf(0) });
    expect(readLine(row)).toMatchObject({ credits: 5, subject: 'a.example' });
    expect(row).toMatch(/[^\n]$/);
  });

  it('there is no row if nothing was sent, if the request has its own row, or if the lines are damaged', () => {
    expect(rowOfBroken({ ...use, charged: 0, row: rowOf(0) })).toEqual([]);
    expect(rowOfBroken({ ...use, charged: 5 })).toEqual([]);
    expect(rowOfBroken({ ...use, charged: 5, row: 'damaged' })).toEqual([]);
    expect(rowOfBroken({ ...use, charged: 1, row: rowOf(0) })).toHaveLength(1);
  });
});
