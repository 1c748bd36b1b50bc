import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const DEBIAN = '/usr/bin/chromium';

export function chromiumPath(): string | undefined {
  if (existsSync(DEBIAN)) return DEBIAN;
  const { status, stdout } = spawnSync('which', ['chromium'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
