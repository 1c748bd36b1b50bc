import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageConfig } from './image.js';

export interface ContainerOptions {
  name: string;
  root: string;
  image: ImageConfig;
  command?: string[];
  environment: Record<string, string>;
  folder: string;
  /** Paths on this machine, by their paths in the container. */
  mounts: Record<string, string>;
}

/**
 * A shell script that mounts the image read-only for its own process, with `/tmp` in memory, and replaces itself with
 * the command. The command runs as the image's user, without capabilities or new privileges, and ends with the process
 * that started it.
 */
const ENTER = `
set -e
root=$1 mounted=$2 user=$3 folder=$4; shift 4
mount --make-rprivate /
mount --bind "$root" "$mounted"
mount -o remount,bind,ro "$mounted"
mount -t proc proc "$mounted/proc"
mount --rbind /dev "$mounted/dev"
mount -t tmpfs -o mode=1777 tmpfs "$mounted/tmp"
while [ "$1" != -- ]; do mount --bind "$2" "$mounted$1"; shift 2; done
shift
exec chroot "$mounted" setpriv --pdeathsig KILL --reuid "\${user%:*}" --regid "\${user#*:}" --clear-groups --no-new-privs \
  --inh-caps=-all --bounding-set=-all env -i -C "$folder" "$@"`;

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A process started from an image as by a container engine, but in this machine's network and without limits. */
export class Container {
  readonly name: string;
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor({ name, root, image, folder, ...options }: ContainerOptions) {
    this.name = name;
    const mounted = join(folder, `${name}.root`);
    mkdirSync(mounted, { recursive: true });
    const given = Object.entries(options.environment).map(([key, value]) => `${key}=${value}`);
    const command = [...image.Entrypoint, ...(options.command ?? image.Cmd)];
    const environment = [`PATH=${PATH}`, ...image.Env, ...given];
    const mounts = Object.entries(options.mounts).flat();
    const enter = ['sh', '-c', ENTER, 'enter', root, mounted, image.User, image.WorkingDir];
    const inside = [...mounts, '--', ...environment, ...command];
    const args = ['--pdeathsig', 'KILL', 'unshare', '--mount', ...enter, ...inside];
    this.child = spawn('setpriv', args, {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = once(this.child, 'close');
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  async result(): Promise<number | string | null> {
    await this.ended;
    return this.child.exitCode ?? this.child.signalCode;
  }

  /** Stops the process with SIGTERM, as a container engine does. @returns its exit code or signal. */
  async stop(): Promise<number | string | null> {
    if (this.isRunning) this.child.kill('SIGTERM');
    return this.result();
  }
}
