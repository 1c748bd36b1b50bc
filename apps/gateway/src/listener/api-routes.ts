import { OPERATIONS, type Operation, RATE_CLASSES, type RateClass, SCOPES } from '#libs/contracts';
import { headerLines } from '../exchange/api-response.js';

/** A public address of the API that needs a key and runs the numbered path of `request/`. */
export interface ApiRoute {
  path: string;
  /** Who may use it; a route says so explicitly or does not compile (S86). */
  access: 'key';
  operation: Operation;
  version: 1 | 2;
  /** Path on lookup's internal listener. */
  lookupPath: string;
  /** Place of the class in `RATE_CLASSES`. */
  classPlace: number;
  scopeBit: number;
  /** `Deprecation` and `Link` of a superseded version (RFC 9745, RFC 8288), as name and value in turn. */
  versionHeaders: readonly string[];
  /** The same as lines of a head. */
  versionLines: string;
}

/** The instant version 1 was superseded, as RFC 9745 writes it: 2026-11-01. */
const V1_DEPRECATION = '@1793491200';

function route(
  path: string,
  operation: Operation,
  version: 1 | 2,
  { lookupPath, successor }: { lookupPath: string; successor?: string },
): ApiRoute {
  const versionHeaders =
    successor === undefined
      ? []
      : ['Deprecation', V1_DEPRECATION, 'Link', `<${successor}>; rel="successor-version"`];
  return {
    path,
    access: 'key',
    operation,
    version,
    lookupPath,
    classPlace: RATE_CLASSES.indexOf(operation.class as RateClass),
    scopeBit: 1 << SCOPES.indexOf(operation.scope),
    versionHeaders,
    versionLines: headerLines(versionHeaders),
  };
}

/** Every operation of the API, by its exact path. */
export const API_ROUTES: ReadonlyMap<string, ApiRoute> = new Map(
  [
    route('/v2.0/whois/live', OPERATIONS.whoisLive, 2, { lookupPath: '/internal/whois/live' }),
    route('/v1.0/whois', OPERATIONS.whoisLive, 1, {
      lookupPath: '/internal/whois/live',
      successor: '/v2.0/whois/live',
    }),
  ].map((entry) => [entry.path, entry]),
);
