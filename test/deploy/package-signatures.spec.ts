import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/**
 * Runs the step of `.ci/run` that checks the signatures of packages, as if npm gave this answer. @returns the exit
 * status.
 */
function statusWith(answer: string, npmStatus: number): number | null {
  const script = readFileSync('.ci/run', 'utf8');
  const [, step] = /^step "signatures of the packages"\n([^]*?)^step /m.exec(script) ?? [];
  const npm = `timeout() { echo "$ANSWER"; return ${npmStatus}; }`;
  const options = { env: { ...process.env, ANSWER: answer } };
  return spawnSync('bash', ['-euo', 'pipefail', '-c', `${npm}\n${step}`], options).status;
}

it.each([
  ['fails', '1 package has an invalid registry signature:', 1],
  ['fails', '2 packages have missing registry signatures but the registry is providing keys:', 1],
  ['fails', '1 package has an invalid attestation:', 1],
  ['continues', 'audited 900 packages in 3s', 0],
  ['continues, because no keys could be fetched,', 'npm error request to keys failed', 1],
])('S108: the run of all tests %s if npm says %j', (ends, answer, npmStatus) => {
  expect(statusWith(answer, npmStatus)).toBe(ends === 'fails' ? 1 : 0);
});
