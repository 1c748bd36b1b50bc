import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAMS = ['buildah', 'mmdebstrap', 'ip', 'unshare', 'npm'];
const MIRROR = 'http://deb.debian.org/debian';
/** What the bases are made of is fetched once. */
const CACHE = join(homedir(), '.cache/domain-data-service/image');
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

/** What an image says of how it is run. */
export interface ImageConfig {
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  User: string;
  WorkingDir: string;
}

/** Why no image can be built and run here; undefined when it can. */
export function imageAvailability(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'no root of a Linux machine';
  const missing = PROGRAMS.filter((name) => spawnSync('which', [name]).status !== 0);
  return missing.length > 0 ? `no ${missing.join(', no ')} on this machine` : undefined;
}

/**
 * Builds images and mounts them, by buildah in a store of its own. Bases are not pulled: Debian's packages and the
 * Node of the npm package take their names, so every step of the Dockerfile runs.
 */
export class ImageStore {
  private readonly containers: string[] = [];

  /** @param folder holds the store; it and all in it are removed at the end. */
  constructor(private readonly folder: string) {}

  /** Builds the Dockerfile of the repository under `name`. */
  async build(name: string): Promise<void> {
    await this.makeBases();
    const packages = join(homedir(), '.npm');
    mkdirSync(packages, { recursive: true });
    const options = ['--isolation', 'chroot', '--network', 'host', '--pull-never'];
    await this.buildah('bud', ...options, '--volume', `${packages}:/root/.npm`, '-t', name, '.');
  }

  /** @returns where the root of a new container of the image is mounted. */
  async mount(name: string): Promise<string> {
    const container = await this.buildah('from', '--pull-never', name);
    this.containers.push(container);
    return this.buildah('mount', container);
  }

  async configOf(name: string): Promise<ImageConfig> {
    const { OCIv1 } = JSON.parse(await this.said('inspect', '--type', 'image', name)) as {
      OCIv1: { config: ImageConfig };
    };
    return OCIv1.config;
  }

  async remove(): Promise<void> {
    for (const container of this.containers) {
      await this.buildah('umount', container);
      await this.buildah('rm', container);
    }
    await this.buildah('rmi', '--all', '--force');
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async makeBases(): Promise<void> {
    const system = join(CACHE, 'trixie.tar');
    if (!existsSync(system)) {
      mkdirSync(CACHE, { recursive: true });
      const partial = `${system}.${process.pid}.tar`;
      const packages = '--include=libstdc++6';
      await run('mmdebstrap', [
        '--quiet',
        '--variant=essential',
        packages,
        'trixie',
        partial,
        MIRROR,
      ]);
      await run('mv', [partial, system]);
    }
    await this.base('docker.io/library/debian:13.2-slim', 'scratch', async (root) => {
      await run('tar', ['-xf', system, '-C', root]);
    });
    const { base } = this;
    await base.call(
      this,
      'docker.io/library/node:24.21.0-trixie-slim',
      'debian:13.2-slim',
      nodeInto,
    );
  }

  private async base(
    name: string,
    from: string,
    fill: (root: string) => void | Promise<void>,
  ): Promise<void> {
    const container = await this.buildah('from', '--pull-never', from);
    await fill(await this.buildah('mount', container));
    await this.buildah('umount', container);
    await this.buildah('commit', '--rm', container, name);
  }

  /** @returns the last line, which names what was made. */
  private async buildah(...args: string[]): Promise<string> {
    return (await this.said(...args)).split('\n').at(-1) as string;
  }

  private async said(...args: string[]): Promise<string> {
    const store = ['--root', join(this.folder, 'store'), '--runroot', join(this.folder, 'run')];
    const command = ['--storage-driver', 'overlay', ...store, ...args];
    return (await run('buildah', command, { maxBuffer: OUTPUT_MAX_BYTES })).stdout.trim();
  }
}

/** Node as the tests run on it, this machine's npm, and whom it trusts. */
function nodeInto(root: string): void {
  const local = join(root, 'usr/local');
  cpSync(process.execPath, join(local, 'bin/node'));
  const program = realpathSync(spawnSync('which', ['npm'], { encoding: 'utf8' }).stdout.trim());
  cpSync(dirname(dirname(program)), join(local, 'lib/node_modules/npm'), {
    recursive: true,
    dereference: true,
  });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  const settings = ['omit-lockfile-registry-resolved=true'];
  if (existsSync(AUTHORITIES)) {
    mkdirSync(join(root, dirname(AUTHORITIES)), { recursive: true });
    cpSync(AUTHORITIES, join(root, AUTHORITIES), { dereference: true });
    settings.push(`cafile=${AUTHORITIES}`);
  }
  mkdirSync(join(local, 'etc'), { recursive: true });
  writeFileSync(join(local, 'etc/npmrc'), `${settings.join('\n')}\n`);
}
