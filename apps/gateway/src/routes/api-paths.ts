import {
  TUS_VERSION,
  checkOperations,
  type Operation,
  type OperationRoute,
  WRONGLY_ENCODED,
  listenerOf,
} from '#libs/contracts';
import { nearestName } from '#libs/platform';
import { type ApiRoute, type RouteOptions, compileRoute } from './api-route.js';

export interface ApiPath {
  allow: string;
  /** Additional headers of the answer to `OPTIONS`, as alternating names and values: the supported tus extensions. */
  options: readonly string[];
  routes: ReadonlyMap<string, ApiRoute>;
  /** The GET route, stored separately because most requests use it, so that it needs no lookup in the map. */
  get?: ApiRoute;
}

export interface PathMatch {
  entry: ApiPath;
  names: readonly string[];
  values: readonly string[];
}

interface Template {
  pattern: RegExp;
  names: string[];
  entry: ApiPath;
}

/** The pattern of a path parameter. A path with a longer parameter does not match. */
const SEGMENT = '([^/]{1,255})';

export class ApiPaths {
  private readonly exact = new Map<string, ApiPath>();
  private readonly templates: Template[] = [];
  readonly routes: readonly ApiRoute[];

  /** Compiles the table. @throws OperationFaults if the table is invalid; no operation is served then. */
  constructor(
    readonly operations: readonly Operation[],
    options: RouteOptions = {},
  ) {
    checkOperations(operations);
    const served = operations.filter((row) => listenerOf(row) === 'api');
    const byPath = new Map<string, { operation: Operation; at: OperationRoute }[]>();
    for (const operation of served) {
      for (const at of operation.routes) {
        byPath.set(at.path, [...(byPath.get(at.path) ?? []), { operation, at }]);
      }
    }
    const all: ApiRoute[] = [];
    for (const [path, rows] of byPath) {
      const routes = routesOf(rows, options);
      for (const route of new Set(routes.values())) {
        all.push(...(route.choice?.routes.values() ?? [route]));
      }
      const allow = [...routes.keys(), 'OPTIONS'].join(', ');
      const tus = tusOptions(rows.map(({ operation }) => operation));
      this.add(path, { allow, options: tus, routes, get: routes.get('GET') });
    }
    this.routes = all;
  }

  /** Finds a path without parameters in one map lookup, for the hot path. */
  find(path: string): ApiPath | undefined {
    return this.exact.get(path);
  }

  match(path: string): PathMatch | undefined {
    for (const { pattern, names, entry } of this.templates) {
      const found = pattern.exec(path);
      if (found) return { entry, names, values: found.slice(1).map(decoded) };
    }
    return undefined;
  }

  /** Finds the existing path without parameters that is most similar to a mistyped one, if any is similar. */
  nearest(path: string): string | undefined {
    return nearestName(path, [...this.exact.keys()]);
  }

  private add(path: string, entry: ApiPath): void {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    if (names.length === 0) {
      this.exact.set(path, entry);
      return;
    }
    const pattern = path.replaceAll(/[.+*?()[\]]/g, '\\$&').replaceAll(/\{\w+\}/g, SEGMENT);
    this.templates.push({ pattern: new RegExp(`^${pattern}$`), names, entry });
  }
}

/**
 * Returns one route per method. If a parameter selects among several operations, the route is that of the first one,
 * which refers to the others.
 */
function routesOf(
  rows: { operation: Operation; at: OperationRoute }[],
  options: RouteOptions,
): Map<string, ApiRoute> {
  const routes = new Map<string, ApiRoute>();
  for (const method of new Set(rows.map(({ operation }) => operation.method))) {
    const own = rows.filter(({ operation }) => operation.method === method);
    const valuesOf = ({ when }: OperationRoute) =>
      when === undefined ? [] : [when.value, ...(when.further ?? [])];
    const values = own.flatMap(({ at }) => valuesOf(at));
    const compiled = own.map(({ operation, at }) => compileRoute(operation, at, values, options));
    const [first] = compiled;
    const { when } = own[0].at;
    if (when && compiled.length > 1) {
      const byValue = new Map(
        compiled.flatMap((route, place) =>
          valuesOf(own[place].at).map((value) => [value.toLowerCase(), route] as const),
        ),
      );
      first.choice = { parameter: when.parameter, routes: byValue };
    }
    routes.set(method, first);
  }
  // HEAD works like GET, with the same limits and price, but Node omits the body (RFC 9110 §9.3.2).
  const get = routes.get('GET');
  if (get && !routes.has('HEAD')) routes.set('HEAD', get);
  return routes;
}

/**
 * Returns the headers that the tus protocol specifies for `OPTIONS`
 * (https://tus.io/protocols/resumable-upload#options), names and values in turn; none if no operation accepts tus.
 */
function tusOptions(operations: readonly Operation[]): string[] {
  const uploads = operations.flatMap(({ upload }) => upload ?? []);
  const extensions = new Set(uploads.flatMap(({ tus = [] }) => tus));
  if (!uploads.some(({ tus }) => tus)) return [];
  const size = Math.max(...uploads.map(({ limitBytes }) => limitBytes));
  return [
    ['Tus-Resumable', TUS_VERSION],
    ['Tus-Version', TUS_VERSION],
    ['Tus-Extension', [...extensions].join(',')],
    ...(size > 0 ? [['Tus-Max-Size', String(size)]] : []),
  ].flat();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return WRONGLY_ENCODED;
  }
}
