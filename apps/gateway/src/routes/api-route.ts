import {
  InputReader,
  type Operation,
  type OperationRoute,
  type ParameterKind,
  type RateClass,
  SCOPES,
  type Scope,
  type Version,
  subjectsOf,
} from '#libs/contracts';
import { headerLines } from '../context/header-lines.js';
import { classPlace } from '../rate-limits/class-concurrency.js';
import { OwnerPath } from './owner-path.js';

/** One operation at one public address, with everything that can be worked out before a request comes. */
export interface ApiRoute {
  /** As the row writes it, path parameters in braces. */
  path: string;
  operation: Operation;
  version: Version;
  /** Undefined for operations without a key. */
  scope?: Scope;
  rateClass?: RateClass;
  /** The class in headers and metrics; `public` without one. */
  rateName: RateClass | 'public';
  /** Its place among the classes whose requests under way are counted. */
  classPlace: number;
  scopeBit: number;
  reader: InputReader;
  ownerPath: OwnerPath;
  /** Place of the text of `fresh`; -1 for none. */
  freshPlace: number;
  /** Place of the text of `max_credits`; -1 for none. */
  maxCreditsPlace: number;
  /** What the question may be about; one of them is given. */
  subjects: readonly Subject[];
  /** Most credits of an answer, where it is the same for each. */
  fixedPrice?: number;
  /** Always one JSON object, for which no body is sent: what a plain connection answers. */
  isPlain: boolean;
  /** Whether `meta` is put before the answer's last brace. */
  hasMeta: boolean;
  /**
   * `Deprecation` and `Link` of a superseded version (RFC 9745, RFC 8288), and whether the data are simulated, as name
   * and value in turn.
   */
  versionHeaders: readonly string[];
  /** The same as lines of headers. */
  versionLines: string;
  /** The operations of this path and method, by the value of the parameter that tells them apart. */
  choice?: { parameter: string; routes: ReadonlyMap<string, ApiRoute> };
}

/** One parameter that says what a question is about. */
interface Subject {
  /** Place of its text. */
  place: number;
  /** Says which keys may ask for what. */
  kind: ParameterKind;
}

/** The instant version 1 was superseded, as RFC 9745 writes it: 2026-11-01. */
const V1_DEPRECATION = '@1793491200';

const JSON_TYPE = 'application/json';

function fixedPrice({ price }: Operation): number | undefined {
  if (price.per === 'free') return 0;
  return price.per === 'item' || typeof price.credits !== 'number' ? undefined : price.credits;
}

/** What all answers of an installation say. */
export interface RouteOptions {
  /** Lookups go to the registry simulator. */
  isDataSimulated?: boolean;
}

/** @param choices values that tell the operations of its path apart, its own included. */
export function compileRoute(
  operation: Operation,
  at: OperationRoute,
  choices: readonly string[],
  { isDataSimulated }: RouteOptions,
): ApiRoute {
  const { access, answers, price, parameters, owner } = operation;
  const choice = at.when && { parameter: at.when.parameter, values: choices };
  const reader = new InputReader(operation, { version: at.version, choice });
  const { scope, class: rateClass } = access.kind === 'key' ? access : {};
  const versionHeaders =
    at.successor === undefined
      ? []
      : ['Deprecation', V1_DEPRECATION, 'Link', `<${at.successor}>; rel="successor-version"`];
  if (isDataSimulated && owner.service === 'lookup')
    versionHeaders.push('X-Simulated-Data', 'true');
  return {
    path: at.path,
    operation,
    version: at.version,
    scope,
    rateClass,
    rateName: rateClass ?? 'public',
    classPlace: classPlace(rateClass ?? 'public'),
    scopeBit: scope === undefined ? 0 : 1 << SCOPES.indexOf(scope),
    reader,
    ownerPath: new OwnerPath(owner.path, at.version, reader),
    freshPlace: reader.placeOf('fresh'),
    maxCreditsPlace: reader.placeOf('max_credits'),
    subjects: subjectsOf(operation).map((name) => ({
      place: reader.placeOf(name),
      kind: parameters[name].kind,
    })),
    fixedPrice: fixedPrice(operation),
    isPlain: operation.body === undefined && answers.every(({ type }) => type === JSON_TYPE),
    hasMeta: at.version === 2 && price.per !== 'free',
    versionHeaders,
    versionLines: headerLines(versionHeaders),
  };
}
