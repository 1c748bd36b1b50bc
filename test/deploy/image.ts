import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { processExists } from '#libs/platform';
import { cachedPath } from '../environment/made-once.js';

const run = promisify(execFile);
const PROGRAMS = ['buildah', 'mmdebstrap', 'unshare', 'npm'];
const MIRROR = 'http://deb.debian.org/debian';
const CACHE = join(homedir(), '.cache/domain-data-service/image');
/** Mount points of the store, which remain valid until the machine restarts. */
const RUN_FOLDER = '/run/domain-data-service/image';
/** The prefix of container names, which is followed by the process id of the creator. */
const OWNED = 'domain-data-test-';
// A larger store consists mostly of steps that are no longer in the Dockerfile; it is emptied and rebuilt.
const IMAGES_MAX = 200;
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

export interface ImageConfig {
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  User: string;
  WorkingDir: string;
}

/** Returns the reason why no image can be built and run on this machine, or undefined if one can. */
export function imageAvailability(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'not root on a Linux machine';
  const missing = PROGRAMS.filter((name) => spawnSync('which', [name]).status !== 0);
  return missing.length > 0 ? `no ${missing.join(', no ')} on this machine` : undefined;
}

/**
 * Builds images with buildah and mounts them, in a store that all runs of this user share. A step of the Dockerfile
 * runs again if its inputs have changed. Base images are not pulled: they are built under the same names from Debian
 * packages and the npm package of Node, so that every step of the Dockerfile runs.
 */
export class ImageStore {
  private readonly containers: string[] = [];
  /** Resolves when the containers of killed runs have been removed, which must come first. */
  private readonly begun: Promise<void>;

  constructor() {
    this.begun = this.begin();
  }

  /**
   * Builds the Dockerfile of the repository, unless an image of the same files exists. (Even if every step is cached,
   * buildah would read all packages to find this out.)
   * @returns the image's id.
   */
  async build(): Promise<string> {
    await this.begun;
    const files = filesOfContext();
    const name = `localhost/${basename(cachedPath('product', files, ...files, process.version))}`;
    const known = await this.idOf(name);
    if (known !== '') return known;
    await this.makeBases();
    const packages = join(homedir(), '.npm');
    mkdirSync(packages, { recursive: true });
    const options = ['--layers', '--isolation', 'chroot', '--network', 'host', '--pull-never'];
    // The base images that are built here have the names of the pinned images, but not their digests.
    const file = join(CACHE, 'Dockerfile');
    writeFileSync(file, readFileSync('Dockerfile', 'utf8').replaceAll(/@sha256:\w+/g, ''));
    const volume = `${packages}:/root/.npm`;
    return this.buildah('bud', ...options, '--file', file, '--volume', volume, '--tag', name, '.');
  }

  /** Mounts the root of a new container of the image until `remove()` is called. @returns the mount point. */
  async mount(image: string): Promise<string> {
    const name = `${OWNED}${process.pid}-${randomUUID()}`;
    this.containers.push(name);
    await this.buildah('from', '--pull-never', '--name', name, image);
    return this.buildah('mount', name);
  }

  async configOf(image: string): Promise<ImageConfig> {
    const { OCIv1 } = JSON.parse(await this.said('inspect', '--type', 'image', image)) as {
      OCIv1: { config: ImageConfig };
    };
    return OCIv1.config;
  }

  /** Unmounts everything. Images are kept, so that the next run can use them. */
  async remove(): Promise<void> {
    await this.begun;
    for (const container of this.containers) await this.removeContainer(container);
  }

  private async begin(): Promise<void> {
    const listed = await this.said('containers', '--all', '--format', '{{.ContainerName}}');
    const names = listed.split('\n').filter(Boolean);
    const left = names.filter((name) => name.startsWith(OWNED) && !processExists(ownerOf(name)));
    for (const name of left) await this.removeContainer(name);
    if (names.length > left.length) return;
    const images = (await this.said('images', '--all', '--quiet')).split('\n');
    if (images.length > IMAGES_MAX) await this.buildah('rmi', '--all', '--force');
  }

  private async removeContainer(name: string): Promise<void> {
    await this.buildah('umount', name);
    await this.buildah('rm', name);
  }

  private async makeBases(): Promise<void> {
    const system = join(CACHE, 'trixie.tar');
    if (!existsSync(system)) {
      mkdirSync(CACHE, { recursive: true });
      const partial = `${system}.${process.pid}.tar`;
      const contents = ['--variant=essential', '--include=libstdc++6', 'trixie'];
      await run('mmdebstrap', ['--quiet', ...contents, partial, MIRROR]);
      await run('mv', [partial, system]);
    }
    const [node, debian] = ['node', 'debian'].map(baseNamed);
    await this.base(debian, 'scratch', async (root) => {
      await run('tar', ['-xf', system, '-C', root]);
    });
    await this.base(node, debian, nodeInto);
  }

  private async base(
    name: string,
    from: string,
    fill: (root: string) => void | Promise<void>,
  ): Promise<void> {
    if ((await this.idOf(name)) !== '') return;
    const container = `${OWNED}${process.pid}-${randomUUID()}`;
    this.containers.push(container);
    await this.buildah('from', '--pull-never', '--name', container, from);
    await fill(await this.buildah('mount', container));
    await this.buildah('commit', container, name);
  }

  private async idOf(name: string): Promise<string> {
    return this.said('images', '--quiet', '--filter', `reference=${name}`);
  }

  /** @returns the last line, which names the result. */
  private async buildah(...args: string[]): Promise<string> {
    return (await this.said(...args)).split('\n').at(-1) as string;
  }

  private async said(...args: string[]): Promise<string> {
    const store = ['--root', join(CACHE, 'store'), '--runroot', RUN_FOLDER];
    const command = ['--storage-driver', 'overlay', ...store, ...args];
    return (await run('buildah', command, { maxBuffer: OUTPUT_MAX_BYTES })).stdout.trim();
  }
}

function filesOfContext(): string[] {
  const listed = readFileSync('.dockerignore', 'utf8').match(/(?<=^!).+/gm) as string[];
  const inside = listed.flatMap((path) => [path, ...globSync(`${path}/**`)]);
  const isRead = (path: string) => !path.endsWith('.spec.ts') && statSync(path).isFile();
  return ['Dockerfile', '.dockerignore', ...inside.filter(isRead)].sort();
}

/** Returns the name of a base image in the Dockerfile, without its digest. */
const baseNamed = (name: string) => {
  const [, base] = new RegExp(`^FROM (${name}:[^@\\s]+)`, 'm').exec(
    readFileSync('Dockerfile', 'utf8'),
  ) as RegExpExecArray;
  return `docker.io/library/${base}`;
};

const ownerOf = (container: string) => Number(container.slice(OWNED.length).split('-')[0]);

/** Copies this process's Node, and the machine's npm and trusted certificate authorities, into a root. */
function nodeInto(root: string): void {
  const local = join(root, 'usr/local');
  cpSync(process.execPath, join(local, 'bin/node'));
  const program = realpathSync(spawnSync('which', ['npm'], { encoding: 'utf8' }).stdout.trim());
  cpSync(dirname(dirname(program)), join(local, 'lib/node_modules/npm'), {
    recursive: true,
    dereference: true,
  });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  const settings = ['omit-lockfile-registry-resolved=true', 'prefer-offline=true', 'audit=false'];
  if (existsSync(AUTHORITIES)) {
    mkdirSync(join(root, dirname(AUTHORITIES)), { recursive: true });
    cpSync(AUTHORITIES, join(root, AUTHORITIES), { dereference: true });
    settings.push(`cafile=${AUTHORITIES}`);
  }
  mkdirSync(join(local, 'etc'), { recursive: true });
  writeFileSync(join(local, 'etc/npmrc'), `${settings.join('\n')}\n`);
}
