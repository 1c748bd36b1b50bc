import { afterEach, describe, expect, it } from '@jest/globals';
import { type Operation, tusVerbs } from '#libs/contracts';
import { HOUR_MS, Logger, MINUTE_MS, Problem, monotonicMs } from '#libs/platform';
import { Transfer, type TransferCall } from './transfer.js';
import { Transfers } from './transfers.js';

const { append } = tusVerbs({
  service: 'worker',
  path: '/v2.0/uploads',
  ownerPath: '/internal/uploads',
  access: { kind: 'key', scope: 'bulk', class: 'account' },
  limitBytes: 1024 ** 3,
  extensions: ['creation'],
});
const operation = {
  ...append,
  name: 'uploads.append',
  summary: 'Next bytes',
  problems: [],
} as Operation;
const CALL = { operation } as TransferCall;
const PLACES = 200;

describe('the places of uploads', () => {
  const transfers = new Transfers(HOUR_MS, new Logger('test', { write: () => true }));
  const begun: Transfer[] = [];
  afterEach(() => begun.forEach((one) => transfers.end(one)));

  it('S102: if slow uploads of different accounts take all places, the slowest gives way to an account without an upload', () => {
    const nowMs = monotonicMs();
    for (let account = 0; account < PLACES; account++) {
      const transfer = transfers.begin(`slow ${account}`, CALL, nowMs);
      if (transfer instanceof Transfer) begun.push(transfer);
    }
    expect(begun).toHaveLength(PLACES);
    expect(transfers.begin('other', CALL, nowMs)).toBeInstanceOf(Problem);
    const later = transfers.begin('other', CALL, nowMs + MINUTE_MS);
    expect(later).toBeInstanceOf(Transfer);
    begun.push(later as Transfer);
    expect(transfers.begin('other', CALL, nowMs + MINUTE_MS)).toBeInstanceOf(Problem);
  });
});
