import type { AbuseContact } from './network-record.js';

const EMAIL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z0-9-]{2,63}$/i;
const WORDS_MAX = 200;

export function isEmail(text: string): boolean {
  return text.length <= 254 && EMAIL.test(text);
}

/** Finds e-mail addresses in remarks about abuse, because some registrants publish them only there. */
export function abuseInRemarks(remarks: readonly string[]): AbuseContact[] {
  return remarks
    .filter((line) => /abuse/i.test(line))
    .flatMap((line) => line.split(/[\s<>()[\],;'"]+/, WORDS_MAX))
    .map((word) => word.replace(/^mailto:/i, '').replace(/[.:]+$/, ''))
    .filter(isEmail)
    .map((email) => ({ email: email.toLowerCase(), foundIn: 'remark' }));
}
