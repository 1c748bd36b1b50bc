import { spawnSync } from 'node:child_process';

const OUTPUT_MAX_BYTES = 256 * 1024 * 1024;

export function historyMissing(folder = '.'): string | undefined {
  const words = ['rev-parse', '--is-shallow-repository', '--show-prefix'];
  const { status, stdout } = git('-C', folder, ...words);
  if (status !== 0) return 'no git, or no repository';
  const [isShallow, prefix] = stdout.split('\n');
  if (prefix !== '') return 'a folder of another repository';
  return isShallow === 'false' ? undefined : 'a shallow clone';
}

/** Runs Git. In its output, each character is one byte, whatever the encoding of the text. */
export function git(...words: string[]) {
  return spawnSync('git', words, { encoding: 'latin1', maxBuffer: OUTPUT_MAX_BYTES });
}
