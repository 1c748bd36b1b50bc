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

/** One operation at one public address, with everything that can be computed in advance. */
export interface ApiRoute {
  /** The path as in the row, with path parameters in braces. */
  path: string;
  operation: Operation;
  version: Version;
  /** The scope; undefined for operations without a key. */
  scope?: Scope;
  rateClass?: RateClass;
  /** The class in headers and metrics; `public` for operations without one. */
  rateName: RateClass | 'public';
  limits: OperationLimits;
  /** The index of the class among those with a concurrency limit. */
  classPlace: number;
  scopeBit: number;
  /** Whether test keys are rejected. */
  isForLiveKeys: boolean;
  /**
   * Whether the operation starts work whose credits do not count towards the daily cap of a key; keys with a cap are
   * rejected.
   */
  isChargedLater: boolean;
  reader: InputReader;
  ownerPath: OwnerPath;
  /** Index of the text of `fresh`; -1 for none. */
  freshPlace: number;
  /** Index of the text of `max_credits`; -1 for none. */
  maxCreditsPlace: number;
  /** The value of `dry_run`. */
  dryRunPlace: number;
  /** Parameters that name the subject, one of which must be given. */
  subjects: readonly Subject[];
  /** Maximum credits of an answer, if it is the same for every answer. */
  fixedPrice?: number;
  /** How the bytes of the request and the answer are treated. */
  kind: OperationKind;
  /**
   * Whether the answer is always one JSON object and the request has no body, so that a plain connection can answer it.
   */
  isPlain: boolean;
  /** Whether requests use the connections of the hot path, which read only the headers of lookup's answers. */
  isPooled: boolean;
  /** Whether `meta` is inserted before the answer's last brace. */
  hasMeta: boolean;
  /**
   * `Deprecation` and `Link` of a superseded version (RFC 9745, RFC 8288), and whether the data is simulated; names and
   * values alternate.
   */
  versionHeaders: readonly string[];
  /** The same headers, as header lines. */
  versionLines: string;
  /** The operations with this path and method, by the value of the parameter that distinguishes them. */
  choice?: { parameter: string; routes: ReadonlyMap<string, ApiRoute> };
}

/** A parameter that names the subject of a request. */
interface Subject {
  /** The index of its text. */
  place: number;
  /** Decides which keys may request which values. */
  kind: ParameterKind;
}

/** The date on which version 1 was superseded, in the format of RFC 9745: 2026-11-01. */
const V1_DEPRECATION = '@1793491200';

const JSON_TYPE = 'application/json';

function fixedPrice({ price }: Operation): number | undefined {
  if (price.per === 'free') return 0;
  return price.per === 'item' || typeof price.credits !== 'number' ? undefined : price.credits;
}

/** Options of all routes of an installation. */
export interface RouteOptions {
  /**
   * Whether lookups go to the registry simulator. Jobs, monitors and new records of the corpus are then simulated, too.
   */
  isDataSimulated?: boolean;
  /** Whether the corpus contains invented names. */
  isCorpusInvented?: boolean;
  /** Time limit of an operation without its own, and the maximum for paid operations. */
  lookupTimeoutMs?: number;
}

/** Whether the answers of a service are based on simulated or invented data. */
function isSimulated(service: string, { isDataSimulated, isCorpusInvented }: RouteOptions) {
  if (service === 'corpus') return isDataSimulated === true || isCorpusInvented === true;
  return isDataSimulated === true && (service === 'lookup' || service === 'worker');
}

/**
 * Returns the limits of an operation in this installation, because credits stay reserved at most until its time limit.
 */
function limitsHere(operation: Operation, timeoutMs = Infinity): OperationLimits {
  const limits = limitsOf(operation);
  const isOwn = operation.limits?.timeoutMs !== undefined && operation.price.per === 'free';
  return isOwn ? limits : { ...limits, timeoutMs: Math.min(limits.timeoutMs, timeoutMs) };
}

/** @param choices values that distinguish the operations of its path, including its own. */
export function compileRoute(
  operation: Operation,
  at: OperationRoute,
  choices: readonly string[],
  options: RouteOptions,
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
  if (isSimulated(owner.service, options)) versionHeaders.push('X-Simulated-Data', 'true');
  const limits = limitsHere(operation, options.lookupTimeoutMs);
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
    isChargedLater: price.per === 'free' && price.later !== undefined,
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
 * Returns the operation that a parameter selects; if the parameter is missing, the first operation of the path, which
 * then reports the fault. @param names and `values` of the request's parameters alternate.
 */
export function chosenRoute(
  first: ApiRoute,
  names: readonly string[],
  values: readonly string[],
): ApiRoute {
  const { parameter, routes } = first.choice!;
  const place = names.indexOf(parameter);
  return (place === -1 ? undefined : routes.get(values[place].toLowerCase())) ?? first;
}
