import { readFileSync } from 'node:fs';
import { isWellFormedApiKey } from '#libs/contracts';
import { git } from './history.js';

const SHAPES: readonly [kind: string, shape: RegExp][] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[\w+/=]{40}/],
  ['an AWS access key', /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{82})\b/],
  ['a token of GitLab', /\bglpat-[\w-]{20}/],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['a Slack token', /\bxox[abeprs]-[0-9A-Za-z-]{20}/],
  ['a Stripe key', /\b(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{20}|\bwhsec_[0-9A-Za-z]{24}/],
  ['a Google key', /\bAIza[\w-]{35}/],
  ['a key of SendGrid', /\bSG\.[\w-]{22}\.[\w-]{43}/],
  ['an Anthropic or OpenAI token', /\bsk-(?:ant-|proj-)?[A-Za-z0-9]{16}[\w-]{16}/],
  ['a signed web token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20}/],
  ['a generated secret', /\b[A-Z_]*(?:SECRET|PEPPER|PASSWORD)[A-Z_]*=[\w-]{43}\b/],
];

/** The form of an API key for live data. Its checksum is verified separately. */
const API_KEY = /\bdds_live_[0-9A-Za-z]{36}\b/g;

/** S113: finds text that looks like a secret. A fault names the place and the kind, and never the text. */
export function secretsIn(place: string, text: string): string[] {
  const kinds = SHAPES.filter(([, shape]) => shape.test(text)).map(([kind]) => kind);
  if (text.match(API_KEY)?.some(isWellFormedApiKey)) kinds.push('an API key of this product');
  return kinds.map((kind) => `${place}: ${kind}`);
}

/** S113: finds files in the tree that contain a secret. */
export function secretFileFaults(paths: string[]): string[] {
  return paths.flatMap((path) => secretsIn(path, readFileSync(path, 'latin1')));
}

/** S113: finds commits that have added a secret in any line. */
export function secretHistoryFaults(): string[] {
  const log = git('log', '-p', '--unified=0', '--no-color', '--format=%x00%h', 'HEAD');
  if (log.status !== 0) throw new Error(`git log: ${log.stderr.slice(0, 200)}`);
  return log.stdout
    .split('\0')
    .slice(1)
    .flatMap((commit) => secretsIn(commit.slice(0, commit.indexOf('\n')), added(commit)));
}

function added(commit: string): string {
  return commit
    .split('\n')
    .flatMap((line) => (line.startsWith('+') ? [line.slice(1)] : []))
    .join('\n');
}
