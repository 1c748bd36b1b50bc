/** EPP status names (RFC 5731 §2.3, RFC 3915 §3.1) by themselves without case and separators. */
const eppStatuses: ReadonlyMap<string, string> = new Map(
  [
    'addPeriod',
    'autoRenewPeriod',
    'clientDeleteProhibited',
    'clientHold',
    'clientRenewProhibited',
    'clientTransferProhibited',
    'clientUpdateProhibited',
    'inactive',
    'linked',
    'ok',
    'pendingCreate',
    'pendingDelete',
    'pendingRenew',
    'pendingRestore',
    'pendingTransfer',
    'pendingUpdate',
    'redemptionPeriod',
    'renewPeriod',
    'serverDeleteProhibited',
    'serverHold',
    'serverRenewProhibited',
    'serverTransferProhibited',
    'serverUpdateProhibited',
    'transferPeriod',
  ].map((status) => [status.toLowerCase(), status]),
);

/** RDAP statuses that are called otherwise in EPP (RFC 8056 §2). */
const renamed: ReadonlyMap<string, string> = new Map([
  ['active', 'ok'],
  ['associated', 'linked'],
]);

/** The EPP name of an RDAP status; the source's own words when EPP has none. */
export function eppStatus(rdapStatus: string): string {
  const plain = rdapStatus.toLowerCase().replace(/[\s_-]/g, '');
  return renamed.get(plain) ?? eppStatuses.get(plain) ?? rdapStatus;
}
