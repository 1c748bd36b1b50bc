import { spawnSync } from 'node:child_process';

const OUTPUT_MAX_BYTES = 256 * 1024 * 1024;

/** Why the history cannot be read here; undefined when it can. */
export function historyMissing(): string | undefined {
  const { status, stdout } = git('rev-parse', '--is-shallow-repository', '--show-prefix');
  if (status !== 0) return 'no git, or no repository';
  const [isShallow, folder] = stdout.split('\n');
  if (folder !== '') return 'a folder of another repository';
  return isShallow === 'false' ? undefined : 'a shallow clone';
}

/** Its output byte by byte, whatever the text was written in. */
export function git(...words: string[]) {
  return spawnSync('git', words, { encoding: 'latin1', maxBuffer: OUTPUT_MAX_BYTES });
}
