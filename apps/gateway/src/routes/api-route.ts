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

/** An operation at one public path, with everything that can be computed in advance. */
export interface ApiRoute {
  /** The path as in the row, with path parameters in braces. */
  path: string;
  operation: Operation;
  version: Version;
  /** The scope; undefined for operations without a key. */
  scope?: Scope;
  rateClass?: RateClass;
  /** The rate class in headers and metrics; `public` for operations without one. */
  rateName: RateClass | 'public';
  limits: OperationLimits;
  /** The index of the operation's class among the classes with a concurrency limit. */
  classPlace: number;
  scopeBit: number;
  /** Whether test keys are rejected. */
  isForLiveKeys: boolean;
  /** Whether the operation manages keys, so that the calling key must be in a header. */
  managesKeys: boolean;
  /**
   * Whether the operation starts work whose credits do not count towards a key's daily cap. Keys with a cap are then
   * rejected.
   */
  isChargedLater: boolean;
  reader: InputReader;
  ownerPath: OwnerPath;
  /** The index of the parameter `fresh`; -1 if there is none. */
  freshPlace: number;
  /** The index of the parameter `max_credits`; -1 if there is none. */
  maxCreditsPlace: number;
  /** The index of the parameter `dry_run`; -1 if there is none. */
  dryRunPlace: number;
  /** The parameters that name the subject. */
  subjects: readonly Subject[];
  /** The price of an answer in credits, if it is the same for every answer. */
  fixedPrice?: number;
  /** Whether the request is an upload or a download, or has an ordinary body and answer. */
  kind: OperationKind;
  /**
   * Whether the request has no body and the answer is always one JSON object, so that a plain connection can handle
   * both.
   */
  isPlain: boolean;
  /** Whether requests use the connections of the hot path, which parse only the headers of lookup's answers. */
  isPooled: boolean;
  /** Whether `meta` is inserted before the answer's last brace. */
  hasMeta: boolean;
  /**
   * `Deprecation` and `Link` of a superseded version (RFC 9745, RFC 8288), and the mark of simulated data, as
   * alternating names and values.
   */
  versionHeaders: readonly string[];
  versionLines: string;
  /** The operations with this path and method, by the value of the parameter that selects one. */
  choice?: { parameter: string; routes: ReadonlyMap<string, ApiRoute> };
}

interface Subject {
  place: number;
  /** The kind of subject, which determines what test keys and live keys may request. */
  kind: ParameterKind;
}

/** The date on which version 1 was superseded, in the format of RFC 9745: 2026-11-01. */
const V1_DEPRECATION = '@1793491200';

const JSON_TYPE = 'application/json';

function fixedPrice({ price }: Operation): number | undefined {
  if (price.per === 'free') return 0;
  return price.per === 'item' || typeof price.credits !== 'number' ? undefined : price.credits;
}

export interface RouteOptions {
  /**
   * Whether lookups go to the registry simulator. Jobs, monitors and new records of the corpus are then also simulated.
   */
  isDataSimulated?: boolean;
  isCorpusInvented?: boolean;
  /** The maximum time limit of an operation, unless it is free and has its own limit. */
  lookupTimeoutMs?: number;
}

const SIMULATED_HEADER = 'X-Simulated-Data';

function isOfSimulatedService(
  service: string,
  { isDataSimulated, isCorpusInvented }: RouteOptions,
) {
  if (service === 'corpus') return isDataSimulated === true || isCorpusInvented === true;
  return isDataSimulated === true && (service === 'lookup' || service === 'worker');
}

/** Whether the answers of a route are based on simulated data. */
export const isSimulated = ({ versionHeaders }: ApiRoute): boolean =>
  versionHeaders.includes(SIMULATED_HEADER);

/**
 * Returns the limits of an operation in this installation. Only a free operation may have a longer time limit than
 * lookup, because no credits are reserved for it.
 */
function limitsHere(operation: Operation, timeoutMs = Infinity): OperationLimits {
  const limits = limitsOf(operation);
  const isOwn = operation.limits?.timeoutMs !== undefined && operation.price.per === 'free';
  return isOwn ? limits : { ...limits, timeoutMs: Math.min(limits.timeoutMs, timeoutMs) };
}

/**
 * Compiles an operation at one path. @param choices the values that select among the operations of the path, including
 * this operation's value.
 */
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
  if (isOfSimulatedService(owner.service, options)) versionHeaders.push(SIMULATED_HEADER, 'true');
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
    managesKeys: access.kind === 'key' && access.managesKeys === true,
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
 * Returns the operation that a parameter selects. If the parameter is missing or has another value, the path's first
 * operation is returned, which then reports the fault. @param names the names of the request's parameters. @param
 * values their values, in the same order.
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
