import { git, historyMissing } from '../tidy/history.js';

/** A release: the commit with the tag `v0.1.0`, or else the one that added `## 0.1.0 (2026-11-22)` to CHANGELOG.md. */
export interface Release {
  version: string;
  commit: string;
}

const CHANGELOG = 'CHANGELOG.md';
const HEADING = /^## (\d+\.\d+\.\d+) \(\d{4}-\d{2}-\d{2}\)$/gm;
export const UNRELEASED_HEADING = '## Unreleased';

/** Returns the released versions that a changelog names, newest first. */
export function releasedVersions(changelog: string): string[] {
  return [...changelog.matchAll(HEADING)].map(([, version]) => version);
}

/** The Git history of a folder, and the releases in it. A clone may lack tags, but never the changelog. */
export class ReleaseHistory {
  constructor(private readonly folder = '.') {}

  missing(): string | undefined {
    const missing = historyMissing(this.folder);
    if (missing !== undefined) return missing;
    return this.lastRelease() === undefined ? 'nothing is released yet' : undefined;
  }

  /**
   * Returns the newest release before the current commit, or the current commit if it is the only release. Returns
   * undefined if nothing has been released, or if the history is missing.
   * @throws Error if a tag or the history contradicts the changelog.
   */
  lastRelease(): Release | undefined {
    if (historyMissing(this.folder) !== undefined) return undefined;
    const head = this.ask('rev-parse', 'HEAD').trim();
    const versions = releasedVersions(this.fileOf('HEAD', CHANGELOG) ?? '');
    if (versions.length === 0) return undefined;
    const newest = this.releaseOf(versions[0]);
    return newest.commit === head && versions.length > 1 ? this.releaseOf(versions[1]) : newest;
  }

  /** Returns a file in a commit, or undefined if the file does not exist there. */
  fileOf(commit: string, path: string): string | undefined {
    const { status, stdout } = git('-C', this.folder, 'show', `${commit}:${path}`);
    return status === 0 ? Buffer.from(stdout, 'latin1').toString('utf8') : undefined;
  }

  private releaseOf(version: string): Release {
    const tagged = this.ask('for-each-ref', '--format=%(objectname)', `refs/tags/v${version}`);
    const commit = tagged === '' ? this.commitOfHeading(version) : this.commitOfTag(version);
    return { version, commit };
  }

  private commitOfTag(version: string): string {
    const commit = this.ask('rev-parse', `refs/tags/v${version}^{commit}`).trim();
    const released = releasedVersions(this.fileOf(commit, CHANGELOG) ?? '');
    if (released[0] === version) return commit;
    throw new Error(
      `the tag v${version} names ${commit}, whose ${CHANGELOG} starts with ${released[0] ?? 'no release'}: move the tag`,
    );
  }

  /**
   * Returns the last commit that added or removed the heading. The heading exists now, so it was added by this commit.
   */
  private commitOfHeading(version: string): string {
    const words = ['log', '-1', '--format=%H', `-S## ${version} (`, 'HEAD', '--', CHANGELOG];
    const commit = this.ask(...words).trim();
    if (commit !== '') return commit;
    throw new Error(`only a merge has added "## ${version} (…)" to ${CHANGELOG}`);
  }

  private ask(...words: string[]): string {
    const { status, stdout, stderr } = git('-C', this.folder, ...words);
    if (status !== 0) throw new Error(`git ${words[0]}: ${stderr.slice(0, 200)}`);
    return stdout;
  }
}
