import { ValidateBy } from 'class-validator';
import { AMOUNT_MAX } from '../ledger/ledger.dto.js';

/**
 * The format of an operation's name. Unknown operations are accepted, because a newer gateway may
 * have more of them than this release.
 */
export const OPERATION_NAME = /^[a-z][a-z0-9_.-]{0,59}$/;
const OPERATIONS_MAX = 100;

export function AreCreditsByOperation(): PropertyDecorator {
  const message = '$property must have a whole number of credits for each operation';
  const validator = { validate: areCreditsByOperation, defaultMessage: () => message };
  return ValidateBy({ name: 'areCreditsByOperation', validator });
}

function areCreditsByOperation(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= OPERATIONS_MAX &&
    entries.every(([name, credits]) => OPERATION_NAME.test(name) && isAmount(credits))
  );
}

function isAmount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= AMOUNT_MAX;
}
