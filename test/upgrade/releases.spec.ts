import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { versionFaults, writeVersion } from './release-files.js';
import { ReleaseHistory } from './releases.js';

const IDENTITY = [
  'user.name=A',
  'user.email=a@shop.example',
  'commit.gpgsign=false',
  'tag.gpgsign=false',
];
const SETTINGS = IDENTITY.flatMap((setting) => ['-c', setting]);
const VERSIONED = [
  'package.json',
  'package-lock.json',
  'docker-compose.yml',
  'Dockerfile',
  'deploy/helm/domain-data-service/Chart.yaml',
  'deploy/helm/domain-data-service/ci/all-on-values.yaml',
];
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A separate project with the files that contain a version, but without a release. */
class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'releases-'));
  readonly history = new ReleaseHistory(this.folder);

  constructor() {
    folders.push(this.folder);
    for (const path of VERSIONED) this.write(path, readFileSync(path, 'utf8'));
    this.write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- All.\n');
    this.git('init', '-q', '-b', 'main');
    this.commit('start');
  }

  git(...words: string[]): string {
    return execFileSync('git', [...SETTINGS, ...words], {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** @returns the commit's hash. */
  commit(subject: string): string {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', subject);
    return this.git('rev-parse', 'HEAD');
  }

  release(version: string): string {
    writeVersion(version, '2026-11-22', this.folder);
    return this.commit(`release: ${version}`);
  }

  note(line: string): string {
    const changelog = readFileSync(join(this.folder, 'CHANGELOG.md'), 'utf8');
    this.write('CHANGELOG.md', changelog.replace('\n## ', `\n## Unreleased\n\n- ${line}\n\n## `));
    return this.commit(line);
  }
}

describe('a release', () => {
  it('is the commit that added its heading to the changelog if there is no tag, no matter what follows', () => {
    const project = new Project();
    expect(project.history.lastRelease()).toBeUndefined();
    expect(project.history.missing()).toBe('nothing is released yet');
    const commit = project.release('0.1.0');
    expect(project.history.lastRelease()).toEqual({ version: '0.1.0', commit });
    project.note('More.');
    expect(project.history.lastRelease()).toEqual({ version: '0.1.0', commit });
    expect(project.history.missing()).toBeUndefined();
    const clone = join(project.folder, 'clone');
    project.git('clone', '-q', '--no-tags', `file://${project.folder}`, clone);
    expect(new ReleaseHistory(clone).lastRelease()).toEqual({ version: '0.1.0', commit });
  });

  it('is compared with the previous release, and later commits are compared with the release itself', () => {
    const project = new Project();
    const first = project.release('0.1.0');
    project.note('More.');
    const second = project.release('0.2.0');
    expect(project.history.lastRelease()).toEqual({ version: '0.1.0', commit: first });
    project.commit('after it');
    expect(project.history.lastRelease()).toEqual({ version: '0.2.0', commit: second });
  });

  it('is the commit with its tag, even if that is a merge; a tagged commit without the heading is a fault', () => {
    const project = new Project();
    project.git('switch', '-q', '-c', 'ready');
    project.release('0.1.0');
    project.git('switch', '-q', 'main');
    project.git('merge', '-q', '--no-ff', '-m', 'merge', 'ready');
    const commit = project.git('rev-parse', 'HEAD');
    project.git('tag', '-m', 'v0.1.0', 'v0.1.0');
    project.commit('after it');
    expect(project.history.lastRelease()).toEqual({ version: '0.1.0', commit });
    project.git('tag', '-f', 'v0.1.0', 'main~2');
    expect(() => project.history.lastRelease()).toThrow(/starts with no release: move the tag/);
  });

  it('is not searched for in a shallow clone, and this is reported', () => {
    const project = new Project();
    project.release('0.1.0');
    const clone = join(project.folder, 'clone');
    project.git('clone', '-q', '--depth', '1', `file://${project.folder}`, clone);
    const history = new ReleaseHistory(clone);
    expect([history.missing(), history.lastRelease()]).toEqual(['a shallow clone', undefined]);
  });
});

describe('the version', () => {
  it('must be the same in the package, the compose file and the chart', () => {
    expect(versionFaults()).toEqual([]);
  });

  it('is written everywhere by one command', () => {
    const project = new Project();
    project.release('0.1.0');
    project.note('More.');
    writeVersion('0.10.0', '2027-01-05', project.folder);
    expect(versionFaults(project.folder)).toEqual([]);
    const changelog = readFileSync(join(project.folder, 'CHANGELOG.md'), 'utf8');
    expect(changelog).toContain('## 0.10.0 (2027-01-05)\n\n- More.\n\n## 0.1.0 (2026-11-22)\n');
    expect(project.git('diff', '--name-only').split('\n')).toEqual(
      ['CHANGELOG.md', ...VERSIONED].sort(),
    );
  });

  it('must follow the last release, and needs entries in the changelog', () => {
    const { folder, ...project } = new Project();
    expect(() => writeVersion('next', '2026-11-22', folder)).toThrow('not a version such as');
    writeVersion('0.2.0', '2026-11-22', folder);
    expect(() => writeVersion('0.1.9', '2026-11-23', folder)).toThrow('does not follow 0.2.0');
    expect(() => writeVersion('0.3.0', '2026-11-23', folder)).toThrow('say what has changed');
    expect(project.history.lastRelease()).toBeUndefined();
  });

  it('must be the same in all files, and its heading must have the right form', () => {
    const project = new Project();
    project.release('0.2.0');
    project.write('package.json', '{\n  "version": "0.3.0"\n}');
    expect(versionFaults(project.folder)).toContainEqual(
      expect.stringContaining('Chart.yaml: 0.2.0'),
    );
    project.write(
      'CHANGELOG.md',
      '# Changelog\n\n## 0.3.0 – soon\n\n## 0.1.0 (2026-11-22)\n\n## 0.2.0 (2026-11-23)\n',
    );
    expect(
      versionFaults(project.folder).filter((fault) => fault.startsWith('CHANGELOG')),
    ).toHaveLength(3);
  });
});
