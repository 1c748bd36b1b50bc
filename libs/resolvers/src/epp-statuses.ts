/** The EPP status names (RFC 5731 §2.3, RFC 3915 §3.1), by their letters in lower case. */
const BY_LETTERS: ReadonlyMap<string, string> = new Map(
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

/**
 * Returns the canonical spelling of a status in any spelling (`CLIENT-HOLD`, `client hold`); undefined for any other
 * text.
 */
export function eppStatus(words: string): string | undefined {
  let letters = '';
  for (const character of words.toLowerCase()) {
    if (character >= 'a' && character <= 'z') letters += character;
  }
  return BY_LETTERS.get(letters);
}
