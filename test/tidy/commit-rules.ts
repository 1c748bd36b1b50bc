import { git } from './history.js';

const SUBJECT_LENGTH_MAX = 72;
/** Commits that are older than this check are not checked. */
const SINCE = '2026-11-22T07:00:00Z';

/** Subjects of this branch's commits, except merges, that are too long for a list of commits. */
export function commitFaults(): string[] {
  const log = git('log', '--no-merges', `--since=${SINCE}`, '--format=%h %s', 'HEAD');
  if (log.status !== 0) throw new Error(`git log: ${log.stderr.slice(0, 200)}`);
  return Buffer.from(log.stdout, 'latin1')
    .toString()
    .split('\n')
    .flatMap((line) => {
      const [hash] = line.split(' ', 1);
      return subjectFaults(line.slice(hash.length + 1)).map((fault) => `${hash}: ${fault}`);
    });
}

/** The faults of the first line of a commit message. */
export function subjectFaults(subject: string): string[] {
  return subject.length > SUBJECT_LENGTH_MAX
    ? [`"${subject}" has ${subject.length} characters, more than ${SUBJECT_LENGTH_MAX}`]
    : [];
}
