import { describe, expect, it } from '@jest/globals';
import { eppNameOf } from './rdap-statuses.js';

describe('eppNameOf', () => {
  it.each([
    ['client delete prohibited', 'clientDeleteProhibited'],
    ['Server Transfer Prohibited', 'serverTransferProhibited'],
    ['clientHold', 'clientHold'],
    ['auto renew period', 'autoRenewPeriod'],
    ['active', 'ok'],
    ['associated', 'linked'],
    ['pending delete', 'pendingDelete'],
    ['redemption period', 'redemptionPeriod'],
    ['locked', 'locked'],
  ])('the RDAP status "%s" becomes %s', (rdap, epp) => {
    expect(eppNameOf(rdap)).toBe(epp);
  });
});
