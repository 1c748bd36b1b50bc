import { PROBLEM_STATUS, type ProblemCode } from '#libs/contracts';
import { Problem, type ProblemBody } from '#libs/platform';

/**
 * Returns the problem in an owner's refusal, with all its members; undefined if the text is not a public problem of
 * this status.
 * @param text the body of the answer, one character per byte.
 * @param answered the status of the answer.
 */
export function ownersProblem(text: string, answered: number): Problem | undefined {
  let body: ProblemBody | null;
  try {
    body = JSON.parse(Buffer.from(text, 'latin1').toString('utf8')) as ProblemBody | null;
  } catch {
    return undefined;
  }
  const { code, status, detail, retryable, retry_after: seconds, errors, ...members } = body ?? {};
  // Services use further problems among themselves, such as a caller without permission.
  if (status !== answered || PROBLEM_STATUS[code as ProblemCode] !== status) return undefined;
  // The value becomes a header, and anything but a number would throw there and end the process.
  const retryAfterSeconds = Number.isSafeInteger(seconds) && seconds! >= 0 ? seconds : undefined;
  return new Problem({
    code: code as ProblemCode,
    status,
    detail: String(detail),
    retryable,
    retryAfterSeconds,
    errors,
    members,
  });
}
