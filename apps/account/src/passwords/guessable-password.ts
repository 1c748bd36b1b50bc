import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** Minimum number of guesses that a password must withstand. Eight random characters withstand more. */
const GUESSES_MIN = 1e8;
/** The estimate covers only this many characters at each end, because its time grows with the square of the length. */
const PIECE_LENGTH = 32;

/**
 * Common passwords from published leaks, recognised despite capitals, look-alike characters and
 * reversal.
 */
const COMMON_PASSWORDS: readonly (string | number)[] = dictionary['passwords-common'];

const estimator = new ZxcvbnFactory({
  dictionary: { passwords: [...COMMON_PASSWORDS] },
  graphs: adjacencyGraphs,
});

export const COMMON_PASSWORD_COUNT = COMMON_PASSWORDS.length;

/**
 * True if an attacker would soon guess the password, for example because it is a common password (even with another
 * ending or replaced letters), a keyboard walk, a date or a repetition (S21). A long password is as strong as the
 * stronger of its two ends.
 */
export function isGuessablePassword(password: string): boolean {
  const text = password.normalize('NFKC');
  const pieces = new Set([text.slice(0, PIECE_LENGTH), text.slice(-PIECE_LENGTH)]);
  return [...pieces].every((piece) => estimator.check(piece).guesses < GUESSES_MIN);
}
