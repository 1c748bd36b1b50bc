import { parseHostName } from '#libs/domain-names';
import { filedName } from '../names/registrable-name.js';
import type { FiledName } from '../names/registrable-name.js';
import type { ReadLine } from './read-line.js';

/** A host on a block list: a registrable name and the labels below it. */
export interface BlockedHost extends Pick<FiledName, 'key' | 'name'> {
  host: string;
}

/** Names in hosts files that refer to the local machine. */
const OWN_NAMES = /^(?:local|localhost|localhost\.localdomain|broadcasthost|ip6-[a-z]+)$/;
const ADDRESS = /^(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9a-f:]*:[0-9a-f:.]*)$/i;
const ADDRESS_WITH_PORT = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}:[0-9]{1,5}$/;
const URL_START = /^https?:\/\//i;
const CELLS = /[\s,;]+/;

/**
 * Reads the host in a line of a block list, in any of the usual forms: a name, a URL, `0.0.0.0 name` as in hosts files,
 * `||name^` as in browser filters, or CSV cells, of which the first one with a name or URL counts. Addresses are
 * skipped, and so is a URL that follows an address in the same row. Reading ends at an address with a port and at the
 * URL of an address.
 */
export function blockedHost(line: string): ReadLine<BlockedHost> {
  const text = line.replace(/#.*$/, '').trim();
  if (text === '' || /^(?:[![;]|@@)/.test(text)) return 'nothing';
  const filter = /^\|\|([^/^$*]+)\^(?:\$.*)?$/.exec(text)?.[1];
  const cells = filter === undefined ? text.split(CELLS) : [filter];
  let isKnown = false;
  for (const cell of cells) {
    const plain = cell.replace(/^"|"$/g, '');
    const name = hostTextOf(plain);
    const isUrl = URL_START.test(plain);
    if (ADDRESS_WITH_PORT.test(name) || (isUrl && ADDRESS.test(name))) return 'nothing';
    if (OWN_NAMES.test(name) || ADDRESS.test(name)) {
      isKnown = true;
      continue;
    }
    const host = isKnown && isUrl ? undefined : hostOf(name);
    if (host) return host;
  }
  return isKnown ? 'nothing' : 'bad';
}

/**
 * Returns the host of a URL (empty for an invalid one), or the name itself, in lower case, without a leading `*.` or
 * surrounding dots.
 */
function hostTextOf(cell: string): string {
  if (URL_START.test(cell)) {
    return URL.canParse(cell) ? new URL(cell).hostname.replace(/^\[|\]$/g, '') : '';
  }
  return cell
    .toLowerCase()
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
}

function hostOf(text: string): BlockedHost | undefined {
  if (!text.includes('.')) return undefined;
  const parsed = parseHostName(text);
  if (!parsed.ok || parsed.hostName.domain.tld === 'test') return undefined;
  const { host, domain } = parsed.hostName;
  const { key, name } = filedName(domain);
  return { key, name, host: host.slice(0, Math.max(0, host.length - name.length - 1)) };
}
