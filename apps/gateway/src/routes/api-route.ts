import {
  DRY_RUN_PARAMETER,
  InputReader,
  type Operation,
  type OperationKind,
  type OperationLimits,
  type OperationRoute,
  type ParameterKind,
  type RateClass,
  SCOPES,
  type Scope,
  type Version,
  kindOf,
  limitsOf,
  subjectsOf,
} from '#libs/contracts';
import { headerLines } from '#libs/public-http';
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
  limits: OperationLimits;
  /** Its place among the classes whose requests under way are counted. */
  classPlace: number;
  scopeBit: number;
  /** Refused to a test key. */
  isForLiveKeys: boolean;
  reader: InputReader;
  ownerPath: OwnerPath;
  /** Place of the text of `fresh`; -1 for none. */
  freshPlace: number;
  /** Place of the text of `max_credits`; -1 for none. */
  maxCreditsPlace: number;
  /** The value of `dry_run`. */
  dryRunPlace: number;
  /** Parameters that name the subject; one of them is given. */
  subjects: readonly Subject[];
  /** Most credits of an answer, where it is the same for each. */
  fixedPrice?: number;
  /** The way the bytes of its request and answer are treated. */
  kind: OperationKind;
  /** Always one JSON object, for which no body is sent: what a plain connection answers. */
  isPlain: boolean;
  /** Asked over the connections of the hot path, which read nothing of an answer but what lookups say. */
  isPooled: boolean;
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

/** Options of every route of an installation. */
export interface RouteOptions {
  /** Lookups go to the registry simulator. */
  isDataSimulated?: boolean;
  /** Time limit of an operation that sets no other one, and the longest of one that is paid for. */
  lookupTimeoutMs?: number;
}

/** Credits are reserved until the installation's time limit, and no longer. */
function limitsHere(operation: Operation, timeoutMs = Infinity): OperationLimits {
  const limits = limitsOf(operation);
  const isOwn = operation.limits?.timeoutMs !== undefined && operation.price.per === 'free';
  return isOwn ? limits : { ...limits, timeoutMs: Math.min(limits.timeoutMs, timeoutMs) };
}

/** @param choices values that tell the operations of its path apart, its own included. */
export function compileRoute(
  operation: Operation,
  at: OperationRoute,
  choices: readonly string[],
  { isDataSimulated, lookupTimeoutMs }: RouteOptions,
): ApiRoute {
  const { access, answers, price, parameters, owner } = operation;
  const choice = at.when && {
    parameter: at.when.parameter,
    values: choices,
    isDefault: at.when.isDefault,
  };
  const reader = new InputReader(operation, { version: at.version, choice });
  const { scope, class: rateClass } = access.kind === 'key' ? access : {};
  const versionHeaders =
    at.successor === undefined
      ? []
      : ['Deprecation', V1_DEPRECATION, 'Link', `<${at.successor}>; rel="successor-version"`];
  if (isDataSimulated && owner.service === 'lookup')
    versionHeaders.push('X-Simulated-Data', 'true');
  const limits = limitsHere(operation, lookupTimeoutMs);
  const isUsual = operation.paged === undefined && operation.limits === undefined;
  const isPlain = operation.body === undefined && answers.every(({ type }) => type === JSON_TYPE);
  return {
    path: at.path,
    operation,
    version: at.version,
    scope,
    rateClass,
    rateName: rateClass ?? 'public',
    limits,
    classPlace: classPlace(limits.concurrency),
    scopeBit: scope === undefined ? 0 : 1 << SCOPES.indexOf(scope),
    isForLiveKeys: access.kind === 'key' && access.isForLiveKeys === true,
    reader,
    ownerPath: new OwnerPath(owner.path, at.version, reader),
    freshPlace: reader.placeOf('fresh'),
    maxCreditsPlace: reader.placeOf('max_credits'),
    dryRunPlace: reader.placeOf(DRY_RUN_PARAMETER),
    subjects: subjectsOf(operation).map((name) => ({
      place: reader.placeOf(name),
      kind: parameters[name].kind,
    })),
    fixedPrice: fixedPrice(operation),
    kind: kindOf(operation),
    isPlain,
    isPooled: isPlain && owner.service === 'lookup' && isUsual,
    hasMeta: at.version === 2 && price.per !== 'free',
    versionHeaders,
    versionLines: headerLines(versionHeaders),
  };
}

/**
 * The operation that a parameter chooses; the first of its path where it names none, whose reader says so.
 * @param names and `values` of the request's parameters in turn.
 */
export function chosenRoute(
  first: ApiRoute,
  names: readonly string[],
  values: readonly string[],
): ApiRoute {
  const { parameter, routes } = first.choice!;
  const place = names.indexOf(parameter);
  return (place === -1 ? undefined : routes.get(values[place])) ?? first;
}
